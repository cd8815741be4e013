import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useRef, useEffect } from 'preact/hooks'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { RecordDetails, ResultFile } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { previewUrl } from '../../shared/thumbnail-url.ts'
import { useTranslation, useApp } from '../store/app.ts'

const START = 50

/** Before and after, one over the other; only when both pictures can be shown. */
export function Compare({ details }: { readonly details: RecordDetails }) {
  const first = details.results[0]
  const input = first && inputOf(details, first)
  if (!first || input?.kind !== 'image' || mediaKindOf(first.outputPath) === 'video') return null
  return (
    <Slider key={first.outputPath} before={input.path} beforeSize={input.size} after={first.outputPath} />
  )
}

type SliderProps = { readonly before: string; readonly beforeSize: number; readonly after: string }

function Slider({ before, beforeSize, after }: SliderProps) {
  const t = useTranslation()
  const failed = useSignal(false)
  const split = useSignal(START)
  const figure = useRef<HTMLElement>(null)
  const afterSize = useSizes([after]).value.get(after)
  if (failed.value || afterSize === null) return null
  const fail = (): void => {
    failed.value = true
  }
  const set = (value: number): void => {
    split.value = Math.min(100, Math.max(0, value))
    figure.current?.style.setProperty('--split', `${split.value}%`)
  }
  return (
    <figure class="compare" ref={figure}>
      <img src={previewUrl(after)} alt="" draggable={false} onError={fail} />
      <img class="before" src={previewUrl(before)} alt="" draggable={false} onError={fail} />
      <input
        type="range"
        min={0}
        max={100}
        value={split.value}
        aria-label={t.details.compare}
        aria-valuetext={t.details.percentBefore({ percent: t.percent(split.value / 100) })}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.key !== 'PageUp' && event.key !== 'PageDown') return
          event.preventDefault()
          set(split.value + (event.key === 'PageUp' ? 10 : -10))
        }}
      />
      <span class="divider" />
      <figcaption>
        <span class="tag was">
          <b>{t.details.before}</b> {t.size(beforeSize)}
        </span>
        <span class="tag is">
          <b>{t.details.after2}</b> {afterSize !== undefined && t.size(afterSize)}
        </span>
      </figcaption>
    </figure>
  )
}

/** The original that a result was made from; undefined where that can't be told for certain. */
export function inputOf(details: RecordDetails, result: ResultFile): MediaItem | undefined {
  const { inputs } = details
  if (inputs.length === 1) return inputs[0]
  const exact = inputs.find(({ path }) => path === result.file)
  if (exact) return exact
  const named = inputs.filter(({ name }) => name === baseName(result.file))
  // Two folders can hold files of one name.
  return named.length === 1 ? named[0] : undefined
}

/** Bytes by path; null for a file that is not there. What is missing has not been looked at yet. */
type Sizes = ReadonlyMap<string, number | null>

const AT_ONCE = 5_000

/** Looks at the files themselves, again whenever the window comes to the front. */
export function useSizes(paths: readonly string[]): ReadonlySignal<Sizes> {
  const app = useApp()
  const sizes = useSignal<Sizes>(new Map())
  const key = paths.join('\n')
  useEffect(() => {
    let over = false
    const look = async (): Promise<void> => {
      const wanted = paths.slice(0, AT_ONCE)
      if (wanted.length === 0) return
      // A file that can't be looked at simply shows no size; that is no reason for a message.
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
