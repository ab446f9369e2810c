"""make install: what it puts where, and that the launcher finds the library from there."""
import whole


def test_installed_launcher_finds_the_library(tmp_path):
    words = ["make", "-s", "-C", whole.ROOT, f"BUILD={whole.BUILD}", "PREFIX=/usr", f"DESTDIR={tmp_path}", "install"]
    done = whole.execute(words)
    assert done.returncode == 0, done.stderr
    installed = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert installed == [
        "usr/bin/pieprof", "usr/bin/pieprof-report", "usr/include/pieprof/db.h", "usr/include/pieprof/db_drops.h", "usr/lib/libpieprof.so",
        "usr/share/pieprof/pieprof_pytest.py",
    ]
    done = whole.execute([tmp_path / "usr/bin/pieprof", "env"], cwd=tmp_path)
    assert f"LD_PRELOAD={tmp_path}/usr/lib/libpieprof.so" in done.stdout.splitlines()
