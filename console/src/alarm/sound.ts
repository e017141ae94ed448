// The tone of an alarm: made by the browser, so that nothing has to be fetched when the line is bad.
let audio: AudioContext | null = null

export function ring(): void {
  try {
    audio ??= new AudioContext()
    void audio.resume()
    for (const [after, pitch] of [
      [0, 660],
      [0.22, 880],
    ] as const) {
      const begin = audio.currentTime + after
      const tone = audio.createOscillator()
      const volume = audio.createGain()
      tone.frequency.value = pitch
      volume.gain.setValueAtTime(0.0001, begin)
      volume.gain.exponentialRampToValueAtTime(0.25, begin + 0.02)
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.2)
      tone.connect(volume).connect(audio.destination)
      tone.start(begin)
      tone.stop(begin + 0.22)
    }
  } catch {
    // A machine without sound still shows the sign in the tab.
  }
}
