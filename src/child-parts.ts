// The composition root of a media child: adapters, probes and runners, without the rest of the service.
import { transformers } from '#adapters/transformers.ts'
import { withForeign } from '#engine/foreign.ts'
import { type ChildParts, runRequest } from '#engine/run-request.ts'
import { runVideo } from '#engine/run-video.ts'
import type { ChildRequest } from '#engine/segment.ts'
import { loadSettings } from '#kit/settings.ts'
import { loadVips } from '#media/pixels/vips.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import { serve } from '#media/process/media-child.ts'

const parts: ChildParts = {
  adapters: await withForeign(transformers, loadSettings().adapters),
  runVideo,
  checkSight: async () => (await import('#vision/sight-check.ts')).checkSight(),
  probe: (path, limits, tools) => probe(path, limits, tools, probeRecording),
}

// Before the child steps back: at the lowest priority this would take many seconds on a machine whose cores are busy.
loadVips()
serve((request, emit, ask) => runRequest(request as ChildRequest, parts, emit, ask))
