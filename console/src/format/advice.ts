// What an operator can do about a failure, in words, by its error code.
import { t } from '../words/t.ts'

export interface Advice {
  /** What to do next. */
  say: string
  /** What may help: a different file, different extras, another run as it is, or a change of the configuration. */
  helps: ('file' | 'extras' | 'retry' | 'configuration' | 'asset' | 'wait')[]
}

const otherFile = (say: string): Advice => ({ say, helps: ['file'] })

const advice: Record<string, Advice> = {
  unsupported_format: otherFile(t('Use a file of a kind this step accepts: replace the file below and run again.')),
  corrupt_input: otherFile(t('The upload was cut or damaged. Send the original again: replace the file below.')),
  too_many_pixels: otherFile(t('Make the picture smaller before sending it, or replace it with a smaller one.')),
  too_many_frames: otherFile(t('Shorten the animation, or replace it with a shorter one.')),
  too_long: otherFile(t('Trim the recording, or replace it with a shorter one.')),
  policy_blocked: otherFile(
    t('The file refers to things outside itself. Export it again as a plain picture or video.'),
  ),
  output_too_large: {
    say: t('Lower the size or quality in the configuration, or send a smaller file.'),
    helps: ['extras', 'file'],
  },
  time_limit: {
    say: t('Send a shorter or smaller file, or make the step lighter. Under heavy load a second run may do.'),
    helps: ['file', 'retry'],
  },
  memory_limit: { say: t('Send a smaller picture, or run it again when less is going on.'), helps: ['file', 'retry'] },
  bad_extras: { say: t('Correct the extras below and run again.'), helps: ['extras'] },
  bad_options: {
    say: t('An option has a value the step does not take. Correct it in the extras here or in the configuration.'),
    helps: ['extras', 'configuration'],
  },
  option_missing: {
    say: t('Give the missing option in the extras below, or set it in the configuration.'),
    helps: ['extras', 'configuration'],
  },
  asset_missing: { say: t('Upload the asset under its exact name, then run again.'), helps: ['asset', 'retry'] },
  unknown_asset: { say: t('Upload the asset under its exact name, then run again.'), helps: ['asset', 'retry'] },
  people_unclear: {
    say: t('Send a photo that shows the people more clearly, or let the step keep the background when in doubt.'),
    helps: ['file', 'configuration'],
  },
  tool_missing: {
    say: t('Ask whoever runs the machine to install what is missing, then run again.'),
    helps: ['retry'],
  },
  download_failed: {
    say: t('Check that the address of the input still works, or replace the file by hand.'),
    helps: ['file', 'retry'],
  },
  blocked_url: {
    say: t('That address is not allowed from here. Replace the file by hand, or have the host allowed.'),
    helps: ['file'],
  },
  destination_refused: {
    say: t(
      'The target said no: check its credentials, the bucket or account, and its permissions. Then run again; finished steps are kept.',
    ),
    helps: ['configuration', 'retry'],
  },
  destination_unreachable: {
    say: t('The target did not answer. Check the network; then run again, finished steps are kept.'),
    helps: ['retry', 'wait'],
  },
  destination_quota: {
    say: t('The target’s quota is used up. Wait for its reset or raise it, then run again.'),
    helps: ['wait', 'retry'],
  },
  needs_consent: {
    say: t('Write down what the guest agreed to, on their profile or the keepsake: it then goes on by itself.'),
    helps: ['wait'],
  },
  no_consent: {
    say: t('It was left out as the guest wished. If they agree later, write that down and send the file once more.'),
    helps: ['extras'],
  },
  outcome_unknown: {
    say: t('Look at the target first: the file may have arrived. Run again only if it did not, or there may be two.'),
    helps: ['retry'],
  },
  worker_died: {
    say: t(
      'This file stopped the worker three times. Do not run it again as it is: replace it, and keep it for a report.',
    ),
    helps: ['file'],
  },
  media_failed: {
    say: t('The step broke on this file. Try another file; if that works, keep this one for a report.'),
    helps: ['file', 'retry'],
  },
  cancelled: {
    say: t('Somebody cancelled it. Run it again if it is wanted after all; finished steps are kept.'),
    helps: ['retry'],
  },
  internal: {
    say: t('Something went wrong on our side. Run it again; if it stays, the service’s log has the details.'),
    helps: ['retry'],
  },
}

export const knownAdvice: string[] = Object.keys(advice)

export const adviceFor = (code: string): Advice =>
  advice[code] ?? {
    say: t('Run it again; if it fails the same way, change the file or the extras below.'),
    helps: ['retry', 'file', 'extras'],
  }
