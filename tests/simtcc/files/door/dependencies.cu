// options: -MD -MF dependencies.d -odir .
// prints: ^1$
#include <cstdio>
int main() { printf("%d\n", 1); }
