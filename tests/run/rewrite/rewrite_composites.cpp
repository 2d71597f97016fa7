// Entries of the catalogue whose operands are products, sums and powers themselves.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include "static/rewrite_support.hpp"

using namespace rewrite_test;
using kt::dmatrix, kt::slice, kt::axis;

#define SAME(type, phase, written, wanted) \
  CHECK(equal(type, EXPRESSION(written), EXPRESSION(wanted), kt::stage::phase))
#define LIST(...) __VA_ARGS__

TEST_CASE("C29: choices by one condition meet whatever their branches are", "[rewrite]") {
#define CHOICES(written, wanted) SAME(matrix, canonicalize, LIST(written), LIST(wanted))
  CHOICES(where(a > 0, b, c) + where(a > 0, d, b), where(a > 0, b + d, c + b));
  CHOICES(where(a > 0, b, c) - where(a > 0, d, b), where(a > 0, b - d, c - b));
  CHOICES(where(a > 0, b * c, c + d) - where(a > 0, sqr(d), 1 / b),
          where(a > 0, b * c - sqr(d), c + d - 1 / b));
  CHOICES(2 * where(a > 0, b, c) + 3 * where(a > 0, d, b),
          where(a > 0, 2 * b + 3 * d, 2 * c + 3 * b));
  CHOICES(where(a > 0, b, c) + c - where(a > 0, d, b), where(a > 0, b - d, c - b) + c);
  CHOICES(d * where(a > 0, b, c) + d * where(a > 0, c, sqr(b)),
          d * where(a > 0, b + c, c + sqr(b)));
  CHOICES(where(a > 0, b, c) * where(a > 0, d, b), where(a > 0, b * d, c * b));
  CHOICES(where(a > 0, b, c) / where(a > 0, d, b), where(a > 0, b / d, c / b));
  CHOICES(where(a > 0, b + d, c) / where(a > 0, d, b * c), where(a > 0, (b + d) / d, 1 / b));
  CHOICES(sqr(where(a > 0, b, c)) * where(a > 0, d, b) * c,
          where(a > 0, sqr(b) * d, sqr(c) * b) * c);
  CHOICES(where(a * b > c, b * c, c + d) * where(a * b > c, c + d, sqr(b)),
          where(a * b > c, b * c * (c + d), (c + d) * sqr(b)));
  CHOICES(maximum(where(a > 0, b, c), where(a > 0, d * b, b)),
          where(a > 0, maximum(b, d * b), maximum(c, b)));
  CHOICES(minimum(where(a > 0, b, c), where(a > 0, d * b, b)),
          where(a > 0, minimum(b, d * b), minimum(c, b)));
  CHOICES(pow(where(a > 0, b, c), where(a > 0, d + b, b)), where(a > 0, pow(b, d + b), pow(c, b)));
  CHOICES(where(where(a > 0, b, c) < where(a > 0, d, b), a, b),
          where(where(a > 0, b < d, c < b), a, b));
  CHOICES(b * where(a > 0, c, 1) + d * where(a > 0, c, 1), (b + d) * where(a > 0, c, 1));
  CHOICES(b * where(a > 0, c, 1) + d * where(a > 0, 1, c), where(a > 0, b * c + d, b + d * c));
  CHOICES(b * where(a > 0, c, 1) - d * where(a > 0, sqr(b), -1),
          where(a > 0, b * c - d * sqr(b), b + d));
  CHOICES(sqr(b) * where(a > 0, d, 1) + where(a > 0, sqr(d), c + d),
          where(a > 0, sqr(b) * d + sqr(d), sqr(b) + c + d));
  CHOICES(2 * (b + c) * where(a > 0, 0.5, d) - where(a > 0, b + c, d),
          where(a > 0, 0, 2 * (b + c) * d - d));
  CHOICES(b * where(a > 0, c, d) - where(a > 0, b * c, sqr(d)), where(a > 0, 0, b * d - sqr(d)));
#undef CHOICES
  // That would multiply twice as often.
  CHECK_FALSE(equal(matrix, EXPRESSION(b * where(a > 0, c, d) + c * where(a > 0, d, b)),
                    EXPRESSION(where(a > 0, b * c + c * d, b * d + c * b))));
  CHECK_FALSE(equal(matrix, EXPRESSION(where(a > 0, b, c) * where(a > 1, d, b)),
                    EXPRESSION(where(a > 0, b * d, c * b))));
  CHECK(equal(matrix, EXPRESSION(where(a > 0, b * c, c) - where(a > 0, d, b)),
              EXPRESSION(where(a > 0, b * c - d, c - b)), kt::stage::canonicalize, true));
}

TEST_CASE("C37: the sign of a quotient is that of a product", "[rewrite]") {
#define SIGN(written, wanted) SAME(number, canonicalize, LIST(written), LIST(wanted))
  SIGN(sgn(1 / a), sgn(a));
  SIGN(sgn(1 / (a * b)), sgn(a * b));
  SIGN(sgn(1 / (a + b)), sgn(a + b));
  SIGN(sgn(1 / pow(a, 3)), sgn(a));
  SIGN(sgn(1 / pow(a, b)), sgn(pow(a, b)));
  SIGN(sgn(2 / (3 * a * (b + c))), sgn(a * (b + c)));
  SIGN(sgn(a / b), sgn(a * b));
  SIGN(sgn((a + b) / (c * pow(d, 3))), sgn((a + b) * c * d));
  SIGN(sgn(-1 / (a * b)), -sgn(a * b));
  SIGN(sgn(1 / (sqr(a) * b)), sgn(b));
  SIGN(sgn(exp(a) * b / sigmoid(c)), sgn(b));
  SIGN(sgn(1 / sqrt(a)), sgn(sqrt(a)));
#undef SIGN
  CHECK_FALSE(equal(number, EXPRESSION(sgn(sqr(a) * b)), EXPRESSION(sgn(b))));  // 0 where a is
}

namespace {

/// Whether the four ways to write the sigmoid of the logit of x, and the odds of a sigmoid, have
/// their forms.
template <class X>
void logits(X x) {
  auto const one_of = [&](auto f, auto wanted) {
    auto const with = [&](auto then) {
      return [=](auto a, auto b, auto c, auto) { return then(x(a, b, c)); };
    };
    CHECK(stable(number, with(f), with(wanted)));
  };
  one_of([](auto p) { return sigmoid(log(p / (1 - p))); }, [](auto p) { return p; });
  one_of([](auto p) { return sigmoid(log(p) - log(1 - p)); }, [](auto p) { return p; });
  one_of([](auto p) { return sigmoid(log(p) - log1p(-p)); }, [](auto p) { return p; });
  one_of([](auto z) { return sigmoid(z) / (1 - sigmoid(z)); }, [](auto z) { return exp(z); });
  one_of([](auto z) { return (1 - sigmoid(z)) / sigmoid(z); }, [](auto z) { return exp(-z); });
}

}  // namespace

TEST_CASE("C41: the logit of sums, products and powers", "[rewrite]") {
#define LOGIT(...) \
  logits([](auto a, auto b, auto c) { return (void)a, (void)b, (void)c, __VA_ARGS__; })
  LOGIT(a);
  LOGIT(2 * a);
  LOGIT(a * b);
  LOGIT(2 * a * b);
  LOGIT(a + b);
  LOGIT(a - b);
  LOGIT(2 * a + 2 * b);
  LOGIT(a * b + c);
  LOGIT(a * b + a * c);
  LOGIT(1 / a);
  LOGIT(a / b);
  LOGIT(a / (a + b));
  LOGIT(sqr(a));
  LOGIT(sqrt(a));
  LOGIT(1 / sqr(a));
  LOGIT(pow(a, b));
  LOGIT(1 - a);
  LOGIT(1 + a);
#undef LOGIT
  CHECK(stable(number, EXPRESSION(sigmoid(log((1 - a * b) / (a * b)))), EXPRESSION(1 - a * b)));
  CHECK(stable(number, EXPRESSION(sigmoid(log((1 - a - b) / (a + b)))), EXPRESSION(1 - a - b)));
  CHECK(stable(number, EXPRESSION(sigmoid(log(a * exp(b)) - log(1 - a * exp(b)))),
               EXPRESSION(a * exp(b))));
  // Nothing cancels here, and the logarithm may be of what overflows.
  CHECK(stable(number, EXPRESSION(sigmoid(log(a * b))), EXPRESSION(sigmoid(log(b * a)))));
  CHECK_FALSE(stable(number, EXPRESSION(sigmoid(log(a / b))), EXPRESSION(a / (a + b))));
}

TEST_CASE("C77: reads of what was written, or of a part of it", "[rewrite]") {
#define READ(written, wanted) SAME(matrix, canonicalize, LIST(written), LIST(wanted))
  READ(dmatrix(set_subtensor(dmatrix(a + b)(0), dmatrix(b * c)(0)))(0), dmatrix(b * c)(0));
  READ(dmatrix(set_subtensor(dmatrix(sqr(a))(slice(1, 3)), dmatrix(b + c)(slice(1, 3))))(
           slice(1, 3)),
       dmatrix(b + c)(slice(1, 3)));
  READ(dmatrix(inc_subtensor(dmatrix(2 * a)(0), dmatrix(b + c)(0)))(0),
       dmatrix(2 * a)(0) + dmatrix(b + c)(0));
  READ(dmatrix(2 * inc_subtensor(dmatrix(a)(0), dmatrix(sqr(b))(0)) - d)(0),
       2 * dmatrix(a + sqr(b))(0) - dmatrix(d)(0));
  READ(dmatrix(sqr(inc_subtensor(dmatrix(a * c)(0), dmatrix(b)(0))))(0),
       sqr(dmatrix(a * c + b)(0)));
  READ(dmatrix(set_subtensor(dmatrix(a * b)(0), dmatrix(b + c)(0)))(0, 1), dmatrix(b + c)(0, 1));
  READ(dmatrix(inc_subtensor(dmatrix(a * b)(0), dmatrix(b + c)(0)))(0, 1),
       dmatrix(a * b)(0, 1) + dmatrix(b + c)(0, 1));
  READ(dmatrix(set_subtensor(dmatrix(a)(slice(0, 3)), dmatrix(b * c)(slice(0, 3))))(1),
       dmatrix(b * c)(1));
  READ(dmatrix(set_subtensor(dmatrix(a)(slice(2, 5)), dmatrix(b * c)(slice(0, 3))))(3),
       dmatrix(b * c)(1));
  READ(dmatrix(set_subtensor(dmatrix(a)(slice(0, 3), 1), dmatrix(b * c)(slice(0, 3), 0)))(2, 1),
       dmatrix(b * c)(2, 0));
  READ(dmatrix(set_subtensor(dmatrix(a)(0), 2.))(0, 1) * b, 2 * b);
  READ(dmatrix(set_subtensor(dmatrix(a)(2 * dmatrix(b).shape(0) + 1), dmatrix(b * c)(0)))(
           1 + dmatrix(b).shape(0) * 2),
       dmatrix(b * c)(0));
#undef READ
  CHECK_FALSE(
      equal(matrix,
            EXPRESSION(dmatrix(set_subtensor(dmatrix(a)(slice(0, 3)), dmatrix(b)(slice(0, 3))))(3)),
            EXPRESSION(dmatrix(b)(3))));
}

TEST_CASE("C80: what is added to zeros replaces them, and zeros change nothing", "[rewrite]") {
#define WRITE(written, wanted) SAME(matrix, canonicalize, LIST(written), LIST(wanted))
  WRITE(inc_subtensor(dmatrix(a * b)(0), 0 * dmatrix(b + c)(0)), a * b);
  WRITE(inc_subtensor(dmatrix(a + b)(0), dmatrix(b)(0) - dmatrix(b)(0)), a + b);
  WRITE(inc_subtensor(dmatrix(sqr(a))(slice(1, 2)), dmatrix(sqr(b) - b * b)(slice(1, 2))), sqr(a));
  WRITE(inc_subtensor(dmatrix(zeros_like(a))(0), dmatrix(b)(0)),
        set_subtensor(dmatrix(zeros_like(a))(0), dmatrix(b)(0)));
  WRITE(inc_subtensor(dmatrix(0 * (a + b))(0), dmatrix(b * c)(0)),
        set_subtensor(dmatrix(zeros_like(a + b))(0), dmatrix(b * c)(0)));
  WRITE(inc_subtensor(dmatrix(sqr(a) - a * a)(0), sqr(dmatrix(b)(0))),
        set_subtensor(dmatrix(zeros_like(a))(0), sqr(dmatrix(b)(0))));
#undef WRITE
}

TEST_CASE("T21: the logarithm of a product of what has no sign", "[rewrite]") {
#define PRODUCT(written, wanted) SAME(matrix, stabilize, LIST(written), LIST(wanted))
  PRODUCT(log(prod(exp(a))), sum(a));
  PRODUCT(log(prod(exp(a) * exp(b) / exp(c))), sum(a + b - c));
  PRODUCT(log(prod(sqr(exp(a + b)))), sum(2 * a + 2 * b));
  PRODUCT(log(prod(exp(a)) * prod(exp(b))), sum(a) + sum(b));
  PRODUCT(log(prod(exp(a)) / prod(exp(b * c))), sum(a) - sum(b * c));
  PRODUCT(log(sqr(prod(exp(a)))), 2 * sum(a));
  PRODUCT(log(2 * prod(exp(a))), sum(a) + log(exp(0 * sum(a)) * 2));
  PRODUCT(log(prod(sigmoid(a * b))), sum(log(sigmoid(a * b))));
  PRODUCT(log(prod(softmax(a + b))), sum(log_softmax(a + b)));
  PRODUCT(log(prod(exp(a) + exp(b))), sum(logaddexp(a, b)));
  PRODUCT(log(prod(1 + exp(a * b), axis<0>)), sum(softplus(a * b), axis<0>));
  PRODUCT(log(prod(sigmoid(a) * exp(b), axis<0>, kt::keepdims)),
          sum(log(sigmoid(a)) + b, axis<0>, kt::keepdims));
  PRODUCT(log(prod(sqrt(exp(a) + exp(b)))), sum(logaddexp(a, b)) / 2);
  PRODUCT(log(prod(1 + sqr(a - b))), sum(log(1 + sqr(a - b))));
  PRODUCT(log(prod(abs(a * b))), sum(log(abs(a * b))));
  PRODUCT(log(prod(exp(a) * b)), sum(a) + log(prod(b)));
  PRODUCT(log(prod(cosh(a) * b * c)), sum(log(cosh(a))) + log(prod(b * c)));
#undef PRODUCT
  CHECK_FALSE(stable(matrix, EXPRESSION(log(prod(a * b))), EXPRESSION(sum(log(a * b)))));
}
