/**
 * The outline of a page while it is loaded. index.html has the same outline, so that it is shown before the
 * scripts run; a test compares the two.
 */
export function Shell({ wordmark }: { wordmark: string }) {
	return (
		<div className="min-h-dvh" aria-hidden="true">
			<div className="bg-panel text-panel-ink">
				<p className="flex min-h-16 items-center px-4 py-2 font-display text-xl sm:px-6">{wordmark}</p>
			</div>
			<div className="max-w-6xl px-4 py-6 sm:px-6 lg:ml-64 lg:px-10 lg:py-9">
				<div className="h-9 w-48 rounded-lg bg-hair md:h-11" />
				<div className="mt-3 h-5 max-w-md rounded-sm bg-hair" />
				<div className="mt-7 h-56 rounded-xl border border-hair bg-field" />
				<div className="mt-4 h-80 rounded-xl border border-hair bg-field" />
			</div>
		</div>
	);
}
