import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { bandOf, isScore, LEAST_LOOK } from '../../shared/quality/quality.ts'
import { useViewTranslation, type App, useView } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { Button, IconButton } from '../ui/button.tsx'
import {
  compareQualities,
  type ComparedPreset,
  type ComparedQuality,
  isRefused,
  numberOf,
} from './compared-qualities.ts'
import { ImagePane } from './image-pane.tsx'
import { loadPixels } from './load-pixels.ts'
import type { PaneView, Side } from './pane-view.ts'
import { flickAndAnnounce, usePreviewKeys } from './preview-keys.ts'
import type { PreviewModel } from './preview-model.ts'
import { secondsInWords } from './result-line.tsx'
import { toggleAloud } from './video-controls.tsx'
import { startPlayer, type VideoPlayer } from './video-player.ts'
import './quality-comparison.css'

/** Shows three results of one file at different quality levels, and lets the user choose one. The results pan and zoom together. */
export function QualityComparison(props: {
  readonly preset: ComparedPreset
  readonly model: PreviewModel
  /** The preview's view. The comparison has the same zoom and position. */
  readonly preview: PaneView
  readonly name: string
  readonly onUse: (look: number) => void
  readonly onEnd: () => void
}) {
  const { preset, model, preview, name, onUse, onEnd } = props
  const { app, t } = useView()
  const chosen = useSignal(preset.look)
  const { view, compared } = useMemo(
    () => ({
      view: { ...preview, flicked: signal<Side | null>('after'), pane: signal({ width: 1, height: 1 }) },
      compared: compareQualities(preset, {
        bridge: app.bridge,
        model,
        load: loadPixels,
        play: startPlayer,
      }),
    }),
    [],
  )
  useEffect(() => {
    focusOnceShown('.compared-quality input:checked')
    return () => compared.end()
  }, [])
  usePreviewKeys(
    app,
    view,
    () => true,
    () => compared.player.peek(),
    onEnd,
  )
  const list = compared.list.value
  const picked = list.find(({ look }) => look === chosen.value)
  const look = Math.max(LEAST_LOOK, (picked && numberOf(picked)) ?? chosen.value)
  return (
    <form
      class="quality-comparison"
      onSubmit={(event) => {
        event.preventDefault()
        onUse(look)
      }}
    >
      <div
        class="compared-qualities"
        role="radiogroup"
        aria-label={t.preview.compareQualities}
        data-region="main"
      >
        {list.map((one) => (
          <Compared
            key={one.look}
            one={one}
            view={view}
            name={name}
            isChosen={one === picked}
            onChoose={() => (chosen.value = one.look)}
          />
        ))}
      </div>
      <footer class="comparison-foot">
        <p>
          {t.preview.pickQuality}
          <span class="hint hide-narrow">{t.preview.originalInAll}</span>
        </p>
        <ViewButtons view={view} player={compared.player.value} />
        <Button label={t.actions.cancel} kind="quiet" onPress={onEnd} />
        <Button
          label={t.preview.useQuality({ score: t.number(look) })}
          kind="primary"
          submit
          disabled={picked?.state === 'failed'}
        />
      </footer>
    </form>
  )
}

function ViewButtons(props: { readonly view: PaneView; readonly player: VideoPlayer | null }) {
  const { view, player } = props
  const { app, t } = useView()
  const isPlaying = player?.isPlaying.value === true
  return (
    <>
      {player !== null && (
        <IconButton
          icon={isPlaying ? 'pause' : 'play'}
          label={isPlaying ? t.preview.pause : t.preview.play}
          onPress={() => toggleAloud(app, player)}
        />
      )}
      <IconButton
        icon="compare"
        label={t.preview.flick}
        pressed={view.flicked.value === 'before'}
        onPress={() => flickAndAnnounce(app, view)}
      />
    </>
  )
}

function Compared(props: {
  readonly one: ComparedQuality
  readonly view: PaneView
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}) {
  const { one, view, name, isChosen, onChoose } = props
  const { picture, state } = one
  const t = useViewTranslation()
  const factsId = `compared-${one.look}`
  return (
    <div class={`compared-quality ${isChosen ? 'chosen' : ''}`}>
      <div class="compared-picture">
        {state === 'making' && <progress class="preview-progress" aria-label={t.preview.making} />}
        {picture === null ? (
          <div class="preview-pane" />
        ) : (
          <ImagePane
            view={view}
            pixels={picture}
            name={name}
            hasAfter={state !== 'failed'}
            describedBy={factsId}
          >
            <span class="pane-label original">
              <b>{t.preview.before}</b>
            </span>
          </ImagePane>
        )}
      </div>
      <label class="check">
        <input type="radio" name="compared-quality" checked={isChosen} onChange={onChoose} />
        <Facts id={factsId} one={one} />
      </label>
    </div>
  )
}

function Facts({ id, one }: { readonly id: string; readonly one: ComparedQuality }) {
  const { measured, state, isAsSet } = one
  const { app, t } = useView()
  const score = numberOf(one)
  const values = { score: t.number(score ?? one.look) }
  const hasNumber = score !== null || state !== 'done'
  return (
    <span id={id} class="compared-facts">
      {measured !== null && <b>{sizeOf(measured, t)}</b>}
      {hasNumber && <span>{isAsSet ? t.quality.asSet(values) : t.quality.ofResult(values)}</span>}
      <span class="hint">{sentenceOf(one, app, t)}</span>
      {measured !== null && (
        <span class="hint">
          {measured.kind === 'estimated'
            ? t.duration(measured.milliseconds)
            : t.time.seconds({ seconds: secondsInWords(measured.milliseconds, t) })}
        </span>
      )}
    </span>
  )
}

const sizeOf = ({ kind, bytes }: NonNullable<ComparedQuality['measured']>, t: ViewTranslation): string =>
  kind === 'estimated' ? t.newJob.about({ size: t.roughSize(bytes) }) : t.size(bytes)

function sentenceOf({ state, measured, quality }: ComparedQuality, app: App, t: ViewTranslation): string {
  if (state === 'failed') return t.preview.notMade
  if (measured === null) return t.preview.working
  if (isRefused(measured)) return t.preview.keptAsItIs({ size: t.size(measured.refused ?? 0) })
  if (state === 'making') return t.quality.measuring
  if (quality === 'lossless') return t.quality.lossless
  if (quality === null || !isScore(quality)) return t.quality.unknown
  return app.presets.words()?.goal[bandOf(quality.score)] ?? ''
}
