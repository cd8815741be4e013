/** A filter graph with one source, one chain of filters and one sink. */
import { AV_BUFFERSRC_FLAG_PUSH, AV_FRAME_DATA_DISPLAYMATRIX } from 'node-av/constants'
import { Filter, type FilterContext, FilterGraph, FilterInOut, type Frame, type IRational } from 'node-av/lib'
import { cloneOf, mustSucceed, newFrame, nothingNow, pixelFormatName } from './ffmpeg.ts'

export type FilterChain = ReturnType<typeof overGraph>

export type FilterSource = {
  readonly kind: 'video' | 'audio'
  readonly parameters: string
  /** The dimensions and the format of all frames of a video. */
  readonly shape?: Pick<Frame, 'width' | 'height' | 'format'>
}

/**
 * Checks that a frame has the dimensions and the format that filters and encoders were opened for. FFmpeg doesn't check them, and would
 * read memory outside the frame.
 * @throws Error if they differ
 */
export function requireShape(
  frame: Frame,
  { width, height, format }: Pick<Frame, 'width' | 'height' | 'format'>,
): void {
  if (frame.width === width && frame.height === height && frame.format === format) return
  throw new Error(`Got a frame of ${frame.width} × ${frame.height} pixels instead of ${width} × ${height}`)
}

export function sourceOf(frame: Frame, timeBase: IRational = { num: 1, den: 1 }): FilterSource {
  const aspect = frame.sampleAspectRatio
  const parameters = [
    `video_size=${frame.width}x${frame.height}`,
    `pix_fmt=${pixelFormatName(frame)}`,
    `time_base=${timeBase.num}/${timeBase.den}`,
    `pixel_aspect=${Math.max(0, aspect.num)}/${Math.max(1, aspect.den)}`,
    `colorspace=${frame.colorSpace}`,
    `range=${frame.colorRange}`,
  ].join(':')
  const { width, height, format } = frame
  return { kind: 'video', parameters, shape: { width, height, format } }
}

/**
 * Creates a chain that filters video on another thread, but audio on this one. Filtering a block of audio takes less time than a thread
 * switch.
 * @param filters in FFmpeg's filter syntax, such as `scale=640:360,format=yuv420p`
 * @param palette the only colors of the filtered frames; the caller must free it
 */
export async function createFilterChain(
  source: FilterSource,
  filters: string,
  palette?: Frame,
): Promise<FilterChain> {
  const graph = new FilterGraph()
  graph.alloc()
  try {
    const isVideo = source.kind === 'video'
    const input = createFilter(graph, isVideo ? 'buffer' : 'abuffer', 'in', source.parameters)
    const output = createFilter(graph, isVideo ? 'buffersink' : 'abuffersink', 'out', null)
    const painter = palette && addPalette(graph, palette, output)
    connect(graph, filters, input, painter?.input ?? output)
    mustSucceed(await graph.config(), 'prepared')
    await painter?.begin()
    return overGraph(graph, input, output, source)
  } catch (error) {
    graph.free()
    throw error
  }
}

/** Filters a single frame, whose timestamp must be set. Returns undefined if the filters drop it. The caller must free the result. */
export async function filterFrame(frame: Frame, filters: string): Promise<Frame | undefined> {
  using chain = await createFilterChain(sourceOf(frame), filters)
  await chain.put(frame)
  await chain.put(null)
  const [first, ...more] = chain.ready()
  for (const other of more) other.free()
  return first
}

export type TimedFrame = { readonly frame: Frame; readonly timeBase: IRational }

/**
 * Filters frames, with a new chain whenever their shape changes. Some files change size or format midway.
 * Frees the frames that it takes. The caller must free the frames that it yields.
 */
export async function* filterFrames(
  frames: AsyncIterable<Frame>,
  shapeOf: (frame: Frame) => string,
  open: (frame: Frame) => Promise<FilterChain>,
): AsyncGenerator<TimedFrame> {
  let current: { readonly chain: FilterChain; readonly shape: string } | undefined
  async function* put(chain: FilterChain, frame: Frame | null): AsyncGenerator<TimedFrame> {
    try {
      await chain.put(frame)
    } finally {
      frame?.free()
    }
    for (const ready of chain.ready()) yield { frame: ready, timeBase: chain.timeBase }
  }
  try {
    for await (const frame of frames) {
      const shape = shapeOf(frame)
      if (current?.shape !== shape) {
        if (current !== undefined) yield* put(current.chain, null)
        current?.chain[Symbol.dispose]()
        current = { chain: await open(frame), shape }
      }
      yield* put(current.chain, frame)
    }
    if (current !== undefined) yield* put(current.chain, null)
  } finally {
    current?.chain[Symbol.dispose]()
  }
}

/** Filters frames with a single chain, but keeps them. The caller must free the new frames. */
export async function filterAgain(
  frames: readonly TimedFrame[],
  filters: string,
  palette?: Frame,
): Promise<TimedFrame[]> {
  async function* copies(): AsyncGenerator<Frame> {
    for (const { frame } of frames) yield cloneOf(frame)
  }
  const open = (frame: Frame) => createFilterChain(sourceOf(frame, frames[0]?.timeBase), filters, palette)
  const filtered: TimedFrame[] = []
  try {
    for await (const ready of filterFrames(copies(), () => '', open)) filtered.push(ready)
    return filtered
  } catch (error) {
    for (const { frame } of filtered) frame.free()
    throw error
  }
}

export function createFilter(
  graph: FilterGraph,
  name: string,
  label: string,
  parameters: string | null,
): FilterContext {
  const filter = Filter.getByName(name)
  const context = filter && graph.createFilter(filter, label, parameters)
  if (!context) throw new Error(`FFmpeg rejected the filter ${name} with ${parameters ?? 'no parameters'}`)
  return context
}

/** The filter that replaces the frames with a palette of the 256 colors that suit all of them best. */
export const MAKE_PALETTE = 'palettegen'

function addPalette(graph: FilterGraph, palette: Frame, output: FilterContext) {
  const input = createFilter(graph, 'paletteuse', 'painter', 'diff_mode=rectangle')
  const colors = createFilter(graph, 'buffer', 'palette', sourceOf(palette).parameters)
  mustSucceed(colors.link(0, input, 1), 'prepared')
  mustSucceed(input.link(0, output, 0), 'prepared')
  return {
    input,
    async begin() {
      using copy = cloneOf(palette)
      copy.pts = 0n
      mustSucceed(await colors.buffersrcAddFrame(copy, AV_BUFFERSRC_FLAG_PUSH), 'changed')
      mustSucceed(await colors.buffersrcAddFrame(null, AV_BUFFERSRC_FLAG_PUSH), 'changed')
    },
  }
}

function connect(graph: FilterGraph, filters: string, input: FilterContext, output: FilterContext): void {
  using outputs = openEnd('in', input)
  using inputs = openEnd('out', output)
  mustSucceed(graph.parsePtr(filters, inputs, outputs), 'prepared')
}

function openEnd(name: string, context: FilterContext): FilterInOut {
  const end = new FilterInOut()
  end.alloc()
  end.name = name
  end.filterCtx = context
  end.padIdx = 0
  return end
}

function overGraph(
  graph: FilterGraph,
  input: FilterContext,
  output: FilterContext,
  { kind, shape }: FilterSource,
) {
  const { num, den } = output.buffersinkGetTimeBase()
  return {
    timeBase: { num, den },
    /** Takes ownership of the frame's content. `null` ends the stream. */
    async put(frame: Frame | null): Promise<void> {
      if (frame !== null && shape !== undefined) requireShape(frame, shape)
      // The filters already rotate the frame, so nothing else should.
      frame?.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
      const code =
        kind === 'video'
          ? await input.buffersrcAddFrame(frame, AV_BUFFERSRC_FLAG_PUSH)
          : input.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_PUSH)
      mustSucceed(code, 'changed')
    },
    /** Returns the frames that are ready now. The caller must free each frame. */
    ready(): Frame[] {
      const frames: Frame[] = []
      for (;;) {
        const frame = newFrame()
        const code = output.buffersinkGetFrameSync(frame)
        if (code >= 0) {
          frames.push(frame)
          continue
        }
        frame.free()
        if (!nothingNow(code)) mustSucceed(code, 'changed')
        return frames
      }
    },
    [Symbol.dispose]: () => graph.free(),
  }
}
