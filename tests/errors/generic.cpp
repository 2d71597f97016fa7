// expect: for auto parameters write kt::function<types...>(lambda)
#include <kroton/kroton.hpp>
namespace kt = kroton;
int main() {
  kt::function([](auto x) { return x + 1; });
}
