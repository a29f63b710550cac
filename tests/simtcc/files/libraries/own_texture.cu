// A program's own type of the name texture.
// prints: ^4$
#include <cstdio>
template <class T>
class texture {
 public:
  T value;
};
int main() {
  texture<int> t = {4};
  printf("%d\n", t.value);
}
