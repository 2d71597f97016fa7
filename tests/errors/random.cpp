// Streams of random numbers and draws.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

kt::philox_streams stream(42);

// expect: kt::function: a kt::rng is a parameter that is bound to a random stream
namespace unbound {
auto f = kt::function([](kt::dvector x, kt::rng r) { return x * r.uniform(x.shape(0)); });
}

// expect: kt::function: a random stream is bound to a parameter that is not a kt::rng
namespace bound_to_a_vector {
auto f = kt::function([](kt::rng, kt::dvector x) { return x; }, stream);
}

// expect: kt::size: an extent must be an integer or an integer scalar
namespace extent_of_a_half {
auto f = kt::function([](kt::dvector x, kt::rng r) { return x * r.uniform(kt::size(2.5)); }, stream);
}

// expect: kt::rng: wrong number of parameters of this distribution; extents stand alone
namespace three_parameters {
auto f = kt::function([](kt::dvector x, kt::rng r) { return x * r.normal(0., 1., 2., kt::size(x.shape(0))); }, stream);
}

// expect: kt::rng: uniform takes low and high, or neither
namespace low_without_high {
auto f = kt::function([](kt::dvector x, kt::rng r) { return x * r.uniform(1.0, kt::size(x.shape(0))); }, stream);
}

// expect: kt::rng: a parameter has more dimensions than the draw has extents
namespace matrix_of_means {
auto f = kt::function([](kt::dmatrix m, kt::rng r) { return r.normal(m, 1.0, kt::size(3)); }, stream);
}

// expect: kt::rng: the numbers of a continuous distribution are float or double
namespace integers_of_a_normal {
auto f = kt::function([](kt::rng r) { return r.normal<int>(3); }, stream);
}

// expect: kt::rng: the arguments of a draw are parameters, numbers or real variables
namespace complex_mean {
auto f = kt::function([](kt::zscalar m, kt::rng r) { return r.normal(m, 1.0, kt::size(3)); }, stream);
}

// expect: kt::rng: a deviation is negative
namespace negative_deviation {
auto f = kt::function([](kt::rng r) { return r.normal(0.0, -1.0, kt::size(3)); }, stream);
}

// expect: kt::rng: a probability is not
namespace more_than_certain {
auto f = kt::function([](kt::rng r) { return r.bernoulli(1.5, kt::size(3)); }, stream);
}

// expect: kt::rng: the shape of a gamma distribution is negative
namespace negative_shape {
auto f = kt::function([](kt::rng r) { return r.gamma(-1.0, kt::size(3)); }, stream);
}

// expect: kt::rng: the mean of a Poisson distribution is negative
namespace negative_mean_of_counts {
auto f = kt::function([](kt::rng r) { return r.poisson(-1.0, kt::size(3)); }, stream);
}

// expect: kt::rng: the number of trials of a binomial distribution is negative
namespace less_than_no_trials {
auto f = kt::function([](kt::rng r) { return r.binomial(-1, 0.5, kt::size(3)); }, stream);
}

// expect: kt::rng: no integer is at least low and less than high
namespace no_integers {
auto f = kt::function([](kt::rng r) { return r.randint(5, 5, kt::size(3)); }, stream);
}

// expect: kt::rng: choice of more distinct positions than there are
namespace four_of_three {
auto f = kt::function([](kt::rng r) { return r.choice(3, kt::size(2, 2), kt::replace<false>); }, stream);
}

// expect: kt::rng: choice from no positions
namespace choice_from_nothing {
auto f = kt::function([](kt::rng r) { return r.choice(0, kt::size(2)); }, stream);
}

// expect: kt::rng: permutation takes the number of positions alone, an integer
namespace permutation_of_a_half {
auto f = kt::function([](kt::rng r) { return r.permutation(2.5); }, stream);
}

// expect: kt::rng: permutation takes the number of positions alone
namespace permutation_of_a_vector {
auto f = kt::function([](kt::lvector n, kt::rng r) { return r.permutation(n); }, stream);
}

// expect: kt::rng: multinomial takes the number of trials and probabilities
namespace trials_alone {
auto f = kt::function([](kt::rng r) { return r.multinomial(3); }, stream);
}

// expect: kt::rng: behind the number of positions choice takes
namespace choice_from_a_matrix {
auto f = kt::function([](kt::dmatrix p, kt::rng r) { return r.choice(3, kt::size(2), p); }, stream);
}

// expect: weights, which are a vector, each at most once
namespace choice_with_and_without {
auto f = kt::function([](kt::rng r) { return r.choice(3, kt::size(2), kt::replace<false>, kt::replace<true>); }, stream);
}

// A body captures the stream.
// expect: kt::scan: a random stream is not passed to the body: the body captures it
namespace passed_to_a_loop {
auto f = kt::function(
    [](kt::dvector x, kt::rng r) {
      return scan([](kt::dscalar e, kt::rng q) { return e + q.uniform(kt::size()); }, kt::sequences(x), kt::outputs_info(kt::none), kt::non_sequences(r));
    },
    stream);
}

// expect: kt::vmap: a loop that kt::until stops must do as many steps for one slice as for all
namespace walks {
auto f = kt::function(
    [](kt::dvector starts, kt::rng r) {
      return kt::vmap([=](kt::dscalar start) {
        auto const step = [=](kt::dscalar at) {
          auto const next = at + r.normal(kt::size());
          return kt::until(next > 3, next);
        };
        return scan(step, kt::outputs_info(start), kt::n_steps(5))(-1);
      })(starts);
    },
    stream);
}

// expect: kt::opaque: a kt::rng stays outside of an opaque function
namespace drawn_in_an_opaque_function {
constexpr auto noisy = [](kt::dvector x, kt::rng r) { return sum(x * r.uniform(x.shape(0))); };
auto f = kt::function([](kt::dvector x, kt::rng r) { return kt::opaque(noisy)(x, r); }, stream);
}

// errors: at most 30
