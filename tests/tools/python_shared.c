/* Debian's CPython as a program whose interpreter is libpython3.so, as conda and pyenv build it. */
#include <Python.h>

int main(int argc, char **argv)
{
    return Py_BytesMain(argc, argv);
}
