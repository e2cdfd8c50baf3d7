"""Exact width reduction: neurons that share their sign and their active labels share one propagator. [D, section 2.10]

Such a class enters the residual only through Σ_j w_j u_j u_jᵀ, u = (α, z), which a handful of columns have as well:
Σ_e D_e L_e L_eᵀ. These move in the neurons' stead, and beside them, without weight, the columns Φ_e of the propagator,
which carry every neuron of the class along. One body for every arithmetic, as in :mod:`verify.flow.series`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verify.flow.compiled import compilable
from verify.flow.room import filled, matrix, vector, zeros
from verify.flow.series import Law
from verify.notation import IntArray

WORTH = 4
"""A class is reduced when it has more than so many neurons for each dimension of its propagator."""


class Classes(NamedTuple):
    """Who moves in whose stead. Shapes: k neurons, b labels, C reduced classes of dimension d_c = 1 + active labels.

    - ``member`` (k,): the class of a neuron, −1 for one that moves itself. ``leader`` (k,): the heaviest neuron of the
      class, or the neuron itself.
    - ``own`` (o,): the neurons that move themselves, rows 0 … o − 1 of what moves; ``row`` (k,): their rows, else −1.
    - ``first`` (C + 1,): rows of the columns L of class c begin at o + first[c], those of Φ at o + first[C] + first[c].
    - ``slot`` (C, b): which component of u a coordinate is, from 1 on; 0 where the pair is off.
    - ``head`` (C,): the leaders of the classes.
    """

    member: Any
    leader: Any
    own: Any
    row: Any
    first: Any
    slot: Any
    head: Any


class Carried(NamedTuple):
    """Neurons when the propagator was the identity: their ``classes``, ``alpha`` (k,) and ``z`` (k, b)."""

    classes: Classes
    alpha: Any
    z: Any


def grouped(channel: Any, gain: Any, log_scale: Any, reducible: Any) -> Classes:
    """The classes of neurons with these channels (k, b), signs of their gain (k,) and logarithms of their scales (k,).

    ``reducible`` (k,): the others move themselves.
    """
    k = channel.shape[0]
    group, heads, sizes = vector(k, np.int64), vector(k, np.int64), filled(k, np.int64, 0)
    count = 0
    for j in range(k):
        found = 0
        while reducible[j] and found < count and not _alike(channel, gain, heads[found], j):
            found += 1
        if not reducible[j]:
            found = -1
        elif found == count:
            heads[count] = j
            count += 1
        group[j] = found
        if found >= 0:
            sizes[found] += 1
            if log_scale[j] > log_scale[heads[found]]:
                heads[found] = j
    number, reduced = filled(k + 1, np.int64, -1), 0
    for c in range(count):
        if sizes[c] > WORTH * _dimension(channel, heads[c]):
            number[c] = reduced
            reduced += 1
    return _numbered(channel, group, heads, number, count, reduced)


@compilable
def _alike(channel: Any, gain: Any, one: int, other: int) -> bool:
    apart = (gain[one] > 0) != (gain[other] > 0)
    for i in range(channel.shape[1]):
        apart = apart or channel[one, i] != channel[other, i]
    return not apart


@compilable
def _dimension(channel: Any, neuron: int) -> int:
    total = 1
    for i in range(channel.shape[1]):
        total += 1 if channel[neuron, i] >= 0 else 0
    return total


@compilable
def _numbered(channel: Any, group: Any, heads: Any, number: Any, count: int, reduced: int) -> Classes:
    """The classes, given the group of each neuron, the heads of groups, and the groups' numbers as classes or −1.

    A neuron in no group has the number −1, and so has the place −1 of ``number``.
    """
    k, b = channel.shape
    member, leader = vector(k, np.int64), vector(k, np.int64)
    own, row = vector(k, np.int64), filled(k, np.int64, -1)
    first, slot = filled(reduced + 1, np.int64, 0), zeros(reduced, b, np.int64)
    head = vector(reduced, np.int64)
    alone = 0
    for j in range(k):
        member[j] = number[group[j]]
        leader[j] = heads[group[j]] if member[j] >= 0 else j
        if member[j] < 0:
            own[alone], row[j] = j, alone
            alone += 1
    for c in range(count):
        if number[c] < 0:
            continue
        here, size = number[c], 1
        head[here] = heads[c]
        for i in range(b):
            if channel[heads[c], i] >= 0:
                slot[here, i] = size
                size += 1
        first[here + 1] = first[here] + size
    return Classes(member, leader, own[:alone], row, first, slot, head)


def condensed(classes: Classes, law: Law, alpha: Any, z: Any, share: Any, noise: Any) -> tuple[Law, Any, Any]:
    """What moves in the neurons' stead: its law, α and z, from α (k,) and z (k, b).

    ``share`` (k,): weight of a neuron over its leader's. ``noise``: unit roundoff.
    """
    alone, extra, b = len(classes.own), classes.first[-1], z.shape[1]
    rows = alone + 2 * extra
    leader = vector(rows, np.int64)
    weight_of, moving, spread = vector(rows, alpha.dtype), vector(rows, alpha.dtype), matrix(rows, b, z.dtype)
    zero = alpha[0] * 0
    for q in range(alone):
        j = classes.own[q]
        leader[q], weight_of[q], moving[q] = j, zero + 1, alpha[j]
        for i in range(b):
            spread[q, i] = z[j, i]
    for c in range(len(classes.head)):
        begin, size = alone + classes.first[c], classes.first[c + 1] - classes.first[c]
        factor, pivots = _factored(_gram(classes, c, alpha, z, share), noise)
        for e in range(size):
            for row in (begin + e, begin + e + extra):
                heavy = row < alone + extra
                leader[row], weight_of[row] = classes.head[c], pivots[e] if heavy else zero
                moving[row] = factor[0, e] if heavy else (zero + 1 if e == 0 else zero)
                for i in range(b):
                    slot = classes.slot[c, i]
                    spread[row, i] = zero
                    if slot > 0:
                        spread[row, i] = factor[slot, e] if heavy else (zero + 1 if e == slot else zero)
    return _law_of_rows(law, leader, weight_of), moving, spread


def leaders_of(classes: Classes) -> IntArray:
    """(rows,): for each row of what moves, the neuron whose active labels it has."""
    heads = np.repeat(classes.head, np.diff(classes.first))
    return np.concatenate([classes.own, heads, heads])


@compilable
def _law_of_rows(law: Law, leader: Any, weight_of: Any) -> Law:
    """The law of rows that are like their leaders (rows,), of so many times their weight."""
    rows, b, dtype = len(leader), law.channel.shape[1], law.gain.dtype
    channel = matrix(rows, b, np.int64)
    gain, weight, lateral_weight = vector(rows, dtype), vector(rows, dtype), vector(rows, dtype)
    for q in range(rows):
        j = leader[q]
        gain[q], weight[q] = law.gain[j], law.weight[j] * weight_of[q]
        lateral_weight[q] = law.lateral_weight[j] * weight_of[q]
        for i in range(b):
            channel[q, i] = law.channel[j, i]
    return Law(channel, gain, weight, lateral_weight, law.axes, law.framed, law.off_axis, law.lateral)


def carried_along(carried: Carried, moved: Any, spread: Any) -> tuple[Any, Any]:
    """α (…, k) and z (…, k, b) of the neurons, from those of what moves in their stead, (…, rows) and (…, rows, b)."""
    classes = carried.classes
    if not len(classes.head):
        return moved, spread
    alone, extra = len(classes.own), classes.first[-1]
    alpha = np.empty((*moved.shape[:-1], len(carried.alpha)), moved.dtype)
    z = np.empty((*alpha.shape, spread.shape[-1]), moved.dtype)
    alpha[..., classes.own], z[..., classes.own, :] = moved[..., :alone], spread[..., :alone, :]
    for c in range(len(classes.head)):
        who, inside = np.flatnonzero(classes.member == c), np.argsort(classes.slot[c])[(classes.slot[c] == 0).sum() :]
        rows = alone + extra + np.arange(classes.first[c], classes.first[c + 1])
        u = np.concatenate([carried.alpha[who, None], carried.z[np.ix_(who, inside)]], axis=1)
        alpha[..., who], z[..., who, :] = moved[..., rows] @ u.T, u @ spread[..., rows, :]
    return alpha, z


@compilable
def _gram(classes: Classes, c: int, alpha: Any, z: Any, share: Any) -> Any:
    """(d, d): Σ_j share_j u_j u_jᵀ over a class, the lower half."""
    size = classes.first[c + 1] - classes.first[c]
    gram, u = zeros(size, size, alpha.dtype), vector(size, alpha.dtype)
    for j in range(len(alpha)):
        if classes.member[j] == c:
            state_of(classes, alpha, z, j, u)
            for e in range(size):
                for f in range(e + 1):
                    gram[e, f] += share[j] * u[e] * u[f]
    return gram


@compilable
def state_of(classes: Classes, alpha: Any, z: Any, j: int, u: Any) -> None:
    """u = (α, z) of neuron j, a member of a class, into ``u`` (at least d,)."""
    u[0] = alpha[j]
    for i in range(z.shape[1]):
        slot = classes.slot[classes.member[j], i]
        if slot > 0:
            u[slot] = z[j, i]


@compilable
def _factored(gram: Any, noise: Any) -> tuple[Any, Any]:
    """L (d, d) with unit diagonal and D (d,) ≥ 0 with L D Lᵀ the given matrix, of which the lower half is read.

    Below a pivot that is lost in rounding the column is zero: what it would carry is lost there, too.
    """
    size = len(gram)
    factor, pivots = zeros(size, size, gram.dtype), filled(size, gram.dtype, 0)
    for e in range(size):
        pivot = gram[e, e]
        for f in range(e):
            pivot = pivot - factor[e, f] * factor[e, f] * pivots[f]
        factor[e, e] = gram[e, e] * 0 + 1
        if pivot > 0:
            pivots[e] = pivot
        if pivot <= 8 * noise * gram[e, e]:
            continue
        for g in range(e + 1, size):
            entry = gram[g, e]
            for f in range(e):
                entry = entry - factor[g, f] * factor[e, f] * pivots[f]
            factor[g, e] = entry / pivot
    return factor, pivots
