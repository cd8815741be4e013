import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { namedKindOf } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails, ResultFile } from '../../shared/model/job.ts'
import { baseName } from '../../shared/paths.ts'
import { ResultComparison, type Pair } from '../preview/result-comparison.tsx'
import { LowestQuality } from './lowest-quality.tsx'
import { useApp } from '../store/app.ts'

/** Compares each result that still exists with its original, at full resolution. */
export function Compare({ details }: { readonly details: PartDetails }) {
  const pairs = useMemo(() => pairsOf(details), [details])
  const sizes = useSizes(pairs.map(({ after }) => after)).value
  const there = pairs.filter(({ after }) => sizes.get(after) !== null)
  const chosen = useSignal(there[0]?.after)
  if (there.length === 0) return null
  return (
    <>
      <ResultComparison key={details.id} pairs={there} chosen={chosen} />
      <LowestQuality details={details} pairs={there} sizes={sizes} chosen={chosen} />
    </>
  )
}

function pairsOf(details: PartDetails): readonly Pair[] {
  return details.results.flatMap((result) => {
    const input = inputOf(details, result)
    const kind = namedKindOf(result.outputPath)
    return input !== undefined && kind !== undefined && input.kind === kind
      ? [{ before: input.path, after: result.outputPath, kind, quality: result.quality }]
      : []
  })
}

/** Returns the original of a result, or undefined if it can't be identified for certain. */
export function inputOf(details: PartDetails, result: ResultFile): MediaItem | undefined {
  const { inputs } = details
  if (inputs.length === 1) return inputs[0]
  const exact = inputs.find(({ path }) => path === result.file)
  if (exact) return exact
  const named = inputs.filter(({ name }) => name === baseName(result.file))
  // Two folders can contain files with the same name, so only a unique name identifies the original.
  return named.length === 1 ? named[0] : undefined
}

/** File sizes in bytes, by path; null if the file doesn't exist. A path without an entry hasn't been checked yet. */
type Sizes = ReadonlyMap<string, number | null>

const AT_ONCE = 5_000

/** Reads the sizes of at most `AT_ONCE` files, and reads them again when the window gets the focus. */
export function useSizes(paths: readonly string[]): ReadonlySignal<Sizes> {
  const app = useApp()
  const sizes = useSignal<Sizes>(new Map())
  const key = paths.join('\n')
  useEffect(() => {
    let over = false
    const look = async (): Promise<void> => {
      const wanted = paths.slice(0, AT_ONCE)
      if (wanted.length === 0) return
      // If the sizes can't be read, the rows don't show any. Don't report this as an error.
      const found = await app.bridge.files.sizes([...wanted]).catch(() => null)
      if (found === null || over) return
      sizes.value = new Map(wanted.map((path, index) => [path, found[index] ?? null]))
    }
    const again = (): void => void look()
    again()
    addEventListener('focus', again)
    return () => {
      over = true
      removeEventListener('focus', again)
    }
  }, [key])
  return sizes
}
