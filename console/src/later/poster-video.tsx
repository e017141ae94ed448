// A video with its poster, which may come later: nobody hears of a poster that could not be fetched, of a picture the page does.
import { type ComponentProps, useState } from 'react'

export function PosterVideo({ poster, children, ...rest }: ComponentProps<'video'>) {
  const [drawn, setDrawn] = useState<string | undefined>(undefined)
  return (
    <>
      {poster && drawn !== poster && <img src={poster} alt="" hidden onLoad={() => setDrawn(poster)} />}
      <video poster={drawn === poster ? poster : undefined} {...rest}>
        {children}
      </video>
    </>
  )
}
