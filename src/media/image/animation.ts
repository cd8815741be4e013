/** The timing of animated images, regardless of their format. */

export type Animation = {
  /** How long each frame is shown, in ms. */
  readonly delays: readonly number[]
  /** How often the frames are played; 0 means endlessly. */
  readonly loop: number
}

const USUAL_MS = 100
/** The shortest delay of GIF. */
const SHORTEST_MS = 10

/** Browsers show frames with no delay or the shortest one for 100 ms. */
export const withShownDelays = ({ delays, loop }: Animation): Animation => ({
  delays: delays.map((delay) => (delay <= SHORTEST_MS ? USUAL_MS : delay)),
  loop,
})
