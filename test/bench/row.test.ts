import { expect, it } from 'vitest'
import { atMost, atMostTimes, withRepeated, type BenchRow } from '../../bench/row.ts'

it('replaces only missed rows, and lists their earlier measurements in the notes', () => {
  const rows = [atMost('tick', 4, 'ms', 5), floored(7), atMost('gone', 9, 'ms', 5)]
  const repeated = [atMost('tick', 6, 'ms', 5), floored(8)]
  const twice = withRepeated(withRepeated(rows, repeated), [floored(5)])
  expect(twice).toEqual([
    rows[0],
    {
      ...floored(5),
      note:
        'floor 2 s, our share 3 of at most 4; bare; missed before: 7 s, ≤ 3 × floor, floor 2 s, our share 5 of at most 4' +
        '; missed before: 8 s, ≤ 3 × floor, floor 2 s, our share 6 of at most 4',
    },
    rows[2],
  ])
})

const floored = (measured: number): BenchRow =>
  atMostTimes('idle', measured, 's', { floor: 2, most: 3 }, 'bare')
