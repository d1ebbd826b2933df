import type { ReactNode } from "react";
import { SkipLink } from "./skip-link.tsx";

type PageFrame = {
	/** At the left of the bar: the wordmark, a tenant's name. */
	brand: ReactNode;
	/** At the right of the bar: sign-out, a person's name. */
	actions?: ReactNode;
	/** A named <nav>: beside the content on a wide screen, above it on a phone. */
	navigation?: ReactNode;
	/** At the end of the page. */
	footer?: ReactNode;
	children: ReactNode;
};

/** A page with a bar, an optional navigation and the content. Its first link skips to the content. */
export function PageFrame({ brand, actions, navigation, footer, children }: PageFrame) {
	return (
		<div className="flex min-h-dvh flex-col">
			<SkipLink />
			<header className="bg-panel text-panel-ink print:bg-transparent print:text-ink">
				<div className="mx-auto flex min-h-16 max-w-6xl flex-wrap items-center justify-between gap-x-6 gap-y-1 px-5 py-2 md:px-8">
					<div className="min-w-0">{brand}</div>
					{actions !== undefined && <div className="flex items-center gap-2 print:hidden">{actions}</div>}
				</div>
			</header>
			<div className="mx-auto flex w-full max-w-6xl grow flex-col gap-x-10 px-5 py-7 md:flex-row md:px-8 md:py-12">
				{navigation !== undefined && (
					<div className="mb-6 shrink-0 print:hidden md:mb-0 md:w-52">{navigation}</div>
				)}
				<main id="content" tabIndex={-1} className="min-w-0 grow">
					{children}
				</main>
			</div>
			{footer !== undefined && (
				<footer className="mx-auto w-full max-w-6xl px-5 pb-6 md:px-8">{footer}</footer>
			)}
		</div>
	);
}
