// kt::mrg_random_streams against Theano's MRG_RandomStreams.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

template <class A>
void require_values(A const& met, std::vector<double> const& wanted, double epsilon = 1e-14) {
  REQUIRE(met.size() == wanted.size());
  std::size_t i = 0;
  for (auto const x : met) {
    INFO("element " << i);
    CHECK(static_cast<double>(x) == Approx(wanted[i]).epsilon(epsilon));
    ++i;
  }
}

}  // namespace

TEST_CASE("random: streams and sub-streams of MRG31k3p are L'Ecuyer's") {
  // Theano's samples_MRG31k3p_12_7_5.txt: of the first and the third stream, seven sub-streams with
  // five numbers each.
  std::vector<double> const first{
      0.7353244530968368,   0.6142074400559068, 0.11007806099951267,  0.6487741703167558,
      0.36619443260133266,  0.2585685825906694, 0.9489980279468,      0.4309556516818702,
      0.12257590936496854,  0.9760319022461772, 0.6940806899219751,   0.18046841165050864,
      0.003993193618953228, 0.5351603352464736, 0.02472442388534546,  0.7705746139399707,
      0.8138928869739175,   0.9650539481081069, 0.24507411010563374,  0.35767574002966285,
      0.4939101580530405,   0.9027785388752818, 0.27498403564095497,  0.03848231676965952,
      0.3081609820947051,   0.9062023567967117, 0.009030417073518038, 0.7953705741092563,
      0.5061718439683318,   0.5975547162815928, 0.5435514179989696,   0.330895590595901,
      0.49919482320547104,  0.9409166998229921, 0.8276205519214272},
      third{0.8423425843939185,  0.21591948671266437,  0.8698299624957144,  0.17033040337264538,
            0.22816143138334155, 0.11795765580609441,  0.7024209997616708,  0.15607220400124788,
            0.5493582566268742,  0.5827712984755635,   0.8592293248511851,  0.785309090744704,
            0.6115233600139618,  0.019046304281800985, 0.2573754615150392,  0.03130705002695322,
            0.6572857238352299,  0.2033171127550304,   0.5058645992539823,  0.15793190989643335,
            0.6273676953278482,  0.7285307059064507,   0.265245848800987,   0.6073522809892893,
            0.3896624594926834,  0.27189663611352444,  0.705508322454989,   0.12823439668864012,
            0.39648046158254147, 0.6584051586687565,   0.07818163838237524, 0.33628708589822054,
            0.20613654889166355, 0.4277639244683087,   0.5401185592636466};
  kt::mrg_random_streams s(12345);
  // The second draw has the second stream, whether or not its numbers are used.
  auto f = kt::function(
      [](kt::dvector x, kt::rng r) {
        auto const y = r.uniform(x.shape(0));
        r.uniform(x.shape(0));
        return std::pair{y, r.uniform(x.shape(0))};
      },
      s);
  xt::xtensor<double, 1> const x = xt::zeros<double>({7});
  for (std::size_t call = 0; call < 5; ++call) {
    auto const [a, b] = f(x);
    for (std::size_t k = 0; k < 7; ++k) {
      CHECK(a(k) == first[5 * k + call]);
      CHECK(b(k) == third[5 * k + call]);
    }
  }
  // A function that is made later has the streams behind those, another one of the same seed the
  // first.
  auto later = kt::function([](kt::dvector like, kt::rng r) { return r.uniform(like.shape(0)); }, s,
                            kt::mode::interpret);
  CHECK(later(x)(0) == 0.07513022050261497);
  kt::mrg_random_streams again(12345);
  auto same = kt::function([](kt::dvector like, kt::rng r) { return r.uniform(like.shape(0)); },
                           again, kt::mode::interpret);
  CHECK(same(x)(0) == first[0]);
}

// The values of the following were printed by a short program in Python that has Theano's formulas
// on exact integers.
TEST_CASE("random: other distributions of MRG31k3p are Theano's") {
  kt::mrg_random_streams s(42);
  auto f = kt::function(
      [](kt::rng r) {
        return std::tuple{
            r.normal(3., 2., kt::size(7)), r.truncated_normal(40),
            r.multinomial(3, kt::constant({{0.98, 0.01, 0.01}, {0.01, 0.49, 0.5}})),
            r.choice(4, kt::size(3), kt::replace<false>, kt::constant({0.1, 0.2, 0.3, 0.4})),
            r.uniform<float>(kt::size(3, 1))};
      },
      s, kt::mode::interpret);
  auto const y = f();
  require_values(std::get<0>(y),
                 {5.560061637629992, 2.2266505358764856, 4.062638049761266, -0.18835016627337575,
                  -0.6847066788688725, 3.1018880181363913, 2.7171749698687595});
  require_values(std::get<2>(y), {3, 0, 0, 0, 1, 2});
  require_values(std::get<3>(y), {2, 3, 0});
  require_values(std::get<4>(y), {0.35550642013549805, 0.8156828880310059, 0.03849290683865547});
  auto const next = f();
  require_values(std::get<0>(next),
                 {7.421458634385767, 1.1710128965146762, 5.5634805169459725, 3.424913659928349,
                  3.789056073715468, 5.261495584953291, 5.66966897329077});
}

TEST_CASE("random: a large draw steps through its sub-streams again and again") {
  kt::mrg_random_streams s(12345);
  auto f = kt::function([](kt::dvector x, kt::rng r) { return r.uniform(x.shape(0)); }, s,
                        kt::mode::interpret);
  xt::xtensor<double, 1> const x = xt::zeros<double>({20000});
  double const wanted[2][4] = {
      {0.4227788192220032, 0.6142074400559068, 0.7201397749595344, 9957.164973738138},
      {0.03440070524811745, 0.6487741703167558, 0.8401367608457804, 9992.720351167955}};
  for (auto const& w : wanted) {
    auto const y = f(x);
    CHECK(y(15359) == w[0]);
    CHECK(y(15360) == w[1]);
    CHECK(y(19999) == w[2]);
    CHECK(xt::sum(y)() == Approx(w[3]).epsilon(1e-13));
  }
  // Sub-streams begin where they are needed first.
  kt::mrg_random_streams t(12345);
  auto g = kt::function([](kt::dvector v, kt::rng r) { return r.uniform(v.shape(0)); }, t,
                        kt::mode::interpret);
  xt::xtensor<double, 1> const few = xt::zeros<double>({7});
  CHECK(g(few)(6) == 0.5435514179989696);
  auto const more = g(x);
  CHECK(more(6) == 0.330895590595901);
  CHECK(more(15359) == wanted[0][0]);
  CHECK(g(few)(6) == 0.9409166998229921);  // the large draw took two
}
