/** One source, one chain of filters, one sink. */
import { AV_BUFFERSRC_FLAG_PUSH } from 'node-av/constants'
import { Filter, type FilterContext, FilterGraph, FilterInOut, Frame, type IRational } from 'node-av/lib'
import { mustSucceed, nothingNow } from './ffmpeg.ts'

export type FilterChain = {
  readonly timeBase: IRational
  /** Runs the filters away from the main thread. Takes the frame's content over. `null` ends the stream. */
  put(frame: Frame | null): Promise<void>
  /** The same on this thread, for filters that take less time than a change of threads. */
  putNow(frame: Frame | null): void
  /** What is ready, without waiting. Each is the caller's to free. */
  ready(): Frame[]
  free(): void
}

export type FilterSource =
  | { readonly kind: 'picture'; readonly parameters: string }
  | { readonly kind: 'sound'; readonly parameters: string }

/** @param filters in FFmpeg's filter language, such as `scale=640:360,format=yuv420p` */
export async function createFilterChain(source: FilterSource, filters: string): Promise<FilterChain> {
  const graph = new FilterGraph()
  graph.alloc()
  try {
    const [sourceFilter, sinkFilter] =
      source.kind === 'picture' ? ['buffer', 'buffersink'] : ['abuffer', 'abuffersink']
    const input = createEnd(graph, sourceFilter, 'in', source.parameters)
    const output = createEnd(graph, sinkFilter, 'out', null)
    connect(graph, filters, input, output)
    mustSucceed(await graph.config(), 'prepared')
    return overGraph(graph, input, output)
  } catch (error) {
    graph.free()
    throw error
  }
}

function createEnd(
  graph: FilterGraph,
  name: string,
  label: string,
  parameters: string | null,
): FilterContext {
  const filter = Filter.getByName(name)
  const context = filter && graph.createFilter(filter, label, parameters)
  if (!context) throw new Error(`FFmpeg refuses the filter ${name} with ${parameters ?? 'no parameters'}`)
  return context
}

function connect(graph: FilterGraph, filters: string, input: FilterContext, output: FilterContext): void {
  const outputs = openEnd('in', input)
  const inputs = openEnd('out', output)
  try {
    mustSucceed(graph.parsePtr(filters, inputs, outputs), 'prepared')
  } finally {
    inputs.free()
    outputs.free()
  }
}

function openEnd(name: string, context: FilterContext): FilterInOut {
  const end = new FilterInOut()
  end.alloc()
  end.name = name
  end.filterCtx = context
  end.padIdx = 0
  return end
}

function overGraph(graph: FilterGraph, input: FilterContext, output: FilterContext): FilterChain {
  const { num, den } = output.buffersinkGetTimeBase()
  return {
    timeBase: { num, den },
    async put(frame) {
      mustSucceed(await input.buffersrcAddFrame(frame, AV_BUFFERSRC_FLAG_PUSH), 'changed')
    },
    putNow(frame) {
      mustSucceed(input.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_PUSH), 'changed')
    },
    ready() {
      const frames: Frame[] = []
      for (;;) {
        const frame = new Frame()
        frame.alloc()
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
    free: () => graph.free(),
  }
}
