export { gather, type GatherAnswer, type GatherBatch, type GatherOptions } from './find-media.ts'
export { pathsFromArguments, type ArgumentPaths } from './arguments.ts'
export { savePastedImage, type PastedImage } from './pasted-image.ts'
export { createIntake, type Added, type Gathered, type Intake, type IntakeTarget } from './intake.ts'
