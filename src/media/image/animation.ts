/** The timing of animated images, regardless of their format. */

export type Animation = {
  /** How long each frame is shown, in ms. */
  readonly delays: readonly number[]
  /** How often the frames are played; 0 means endlessly. */
  readonly loop: number
}
