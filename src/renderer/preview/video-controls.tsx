import { useEffect, useState } from 'preact/hooks'
import { useViewTranslation, type App, viewTranslation } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import type { VideoPlayer } from './video-player.ts'
import '../ui/range.css'
import './video-controls.css'

/** How much longer than the sample a video must be for the position slider to appear, in seconds. */
const WORTH_CHOOSING = 1

/** Play, pause, and the position of the sample in the video. */
export function VideoControls(props: {
  readonly player: VideoPlayer
  readonly onBegin: (seconds: number) => void
}) {
  const { player, onBegin } = props
  const t = useViewTranslation()
  const { video, isPlaying } = player
  const { start, seconds, videoSeconds } = video
  const latest = Math.max(0, videoSeconds - seconds)
  const [wanted, setWanted] = useState(start)
  useEffect(() => setWanted(start), [start])
  return (
    <div class="video-controls">
      <IconButton
        icon={isPlaying.value ? 'pause' : 'play'}
        label={isPlaying.value ? t.preview.pause : t.preview.play}
        onPress={() => player.toggle()}
      />
      <span class="numeric">
        {t.preview.sample({ from: clockTime(wanted), to: clockTime(Math.ceil(wanted + seconds)) })}
      </span>
      {latest > WORTH_CHOOSING && (
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
          <span class="numeric hide-narrow">{clockTime(videoSeconds)}</span>
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

export function toggleAloud(app: App, player: VideoPlayer): void {
  player.toggle()
  const { playing, paused } = viewTranslation(app).preview
  app.announcer.say(player.isPlaying.peek() ? playing : paused)
}
