# Toolchain: Debian's cross compiler for 64-bit Arm, its arm64 libraries, and QEMU's user-mode emulator, by which ctest
# runs the programs (scripts/test_neon).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
