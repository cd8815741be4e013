import { useEffect, useState } from 'preact/hooks'
import { useTranslation, type App } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import type { FilmPlayer } from './film-player.ts'

type FilmControlsProps = {
  readonly player: FilmPlayer
  /** null: the sample stays where it is. */
  readonly onBegin: ((seconds: number) => void) | null
}

/** A film that is not much longer than the sample has no other place to begin at, in seconds. */
const WORTH_CHOOSING = 1

/** Play or pause, and which part of the film it is. */
export function FilmControls({ player, onBegin }: FilmControlsProps) {
  const t = useTranslation()
  const { film, isPlaying } = player
  const { start, seconds, filmSeconds } = film
  const latest = Math.max(0, filmSeconds - seconds)
  const [wanted, setWanted] = useState(start)
  useEffect(() => setWanted(start), [start])
  return (
    <div class="film-controls">
      <IconButton
        icon={isPlaying.value ? 'pause' : 'play'}
        label={isPlaying.value ? t.preview.pause : t.preview.play}
        onPress={() => player.toggle()}
      />
      <span class="num">
        {t.preview.sample({ from: clockTime(wanted), to: clockTime(Math.ceil(wanted + seconds)) })}
      </span>
      {onBegin !== null && latest > WORTH_CHOOSING && (
        <>
          <input
            type="range"
            class="range"
            min={0}
            max={latest}
            step={0.5}
            value={wanted}
            aria-label={t.preview.sampleBegin}
            aria-valuetext={clockTime(wanted)}
            onInput={(event) => setWanted(event.currentTarget.valueAsNumber)}
            onChange={(event) => onBegin(event.currentTarget.valueAsNumber)}
          />
          <span class="num hide-narrow">{clockTime(filmSeconds)}</span>
        </>
      )}
    </div>
  )
}

/** "0:42" */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

export function toggleAloud(app: App, player: FilmPlayer): void {
  player.toggle()
  const { playing, paused } = app.t.peek().preview
  app.announcer.say(player.isPlaying.peek() ? playing : paused)
}
