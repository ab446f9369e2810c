"""make install: what it puts where, and that the launcher finds the library from there."""
import whole


def install(directory):
    done = whole.execute(["make", "-s", "-C", whole.ROOT, f"BUILD={whole.BUILD}", "PREFIX=/usr", f"DESTDIR={directory}", "install"])
    assert done.returncode == 0, done.stderr


def test_installed_launcher_finds_the_library(tmp_path):
    install(tmp_path)
    installed = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert installed == [
        "usr/bin/pieprof", "usr/bin/pieprof-report", "usr/include/pieprof/db.h", "usr/include/pieprof/db_drops.h", "usr/include/pieprof/db_objects.h", "usr/lib/libpieprof.so",
        *(f"usr/share/doc/pieprof/{name}" for name in ("FORMAT.md", "GATE.md", "LICENSE", "LIMITS.md", "README.md", "REPORT.md")),
        "usr/share/pieprof/pieprof_pytest.py",
        *(f"usr/share/pieprof/schema/{path.name}" for path in sorted((whole.ROOT / "tests/schema").glob("*.json"))),
    ]
    done = whole.execute([tmp_path / "usr/bin/pieprof", "env"], cwd=tmp_path)
    assert f"LD_PRELOAD={tmp_path}/usr/lib/libpieprof.so" in done.stdout.splitlines()


def test_doctor_knows_where_nothing_can_be_recorded(tmp_path):
    """LD_PRELOAD takes no path with a blank; and without the library the rest does not work."""
    place = tmp_path / "a b"
    install(place)
    for remedy in ("LD_PRELOAD takes no path with a blank", "`make` builds it"):
        done = whole.execute([place / "usr/bin/pieprof-report", "doctor"], cwd=tmp_path)
        flowing = " ".join(done.stdout.split())
        assert done.returncode == 0 and "off libpieprof.so" in flowing and remedy in flowing
        assert "Nothing can be recorded here without libpieprof.so" in flowing and "Next:" not in flowing
        (place / "usr/lib/libpieprof.so").unlink(missing_ok=True)
