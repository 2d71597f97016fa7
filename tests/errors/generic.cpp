// expect: kt::function: for auto parameters write kt::function<types...>(lambda)
// expect: kt::function: functions of complex numbers are not in this version
#include <kroton/kroton.hpp>
namespace kt = kroton;
int main() {
  kt::function([](auto x) { return x + 1; });
  kt::function([](kt::zvector x) { return x + x; });
}
