"""Programs started by the launcher."""
import signal
import subprocess

import whole


def launch(*words, directory, **options):
    return whole.execute([whole.LAUNCHER, *words], cwd=directory, **options)


def python(code, *words, directory, **options):
    return launch("--", whole.PYTHON, "-c", code, *words, directory=directory, **options)


def start(code, directory, **options):
    process = subprocess.Popen(
        [whole.LAUNCHER, "--", whole.PYTHON, "-c", code], cwd=directory, env=whole.environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup's children would ignore it
        **options,
    )
    assert process.stdout.readline() == "ready\n"
    return process
