/** In the place of what is being loaded, about as tall. */
export function Skeleton({lines = 3}: {lines?: number}) {
  return (
    <div class="skeleton" role="status">
      <b class="hidden">loading …</b>
      {Array.from({length: lines}, (_, at) => <span key={at} />)}
    </div>
  );
}
