import { LookSwitch, PageHeading, SkipLink } from "@lango/interface";
import type { ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";

type PlainPage = {
	title: string;
	text?: string;
	/** What else helps, quieter. */
	advice?: string | undefined;
	children?: ReactNode;
};

/** A page without the way through the console: what is the case, what to do about it, and the ways on. */
export function PlainPage({ title, text, advice, children }: PlainPage) {
	const texts = useTexts();
	return (
		<div className="flex min-h-dvh flex-col">
			<SkipLink />
			<header className="bg-panel text-panel-ink">
				<p className="px-4 py-4 font-display text-2xl sm:px-6">{texts.wordmark}</p>
			</header>
			<main id="content" tabIndex={-1} className="mx-auto w-full max-w-lg grow px-5 py-12 md:py-20">
				<PageHeading documentTitle={texts.title(title)} announce>
					{title}
				</PageHeading>
				{text !== undefined && <p className="mt-4 text-lg wrap-anywhere">{text}</p>}
				{advice !== undefined && <p className="mt-3 text-quiet wrap-anywhere">{advice}</p>}
				{children !== undefined && <div className="mt-8 flex flex-wrap gap-3">{children}</div>}
			</main>
			<footer className="mx-auto w-full max-w-lg px-5 pb-5">
				<LookSwitch />
			</footer>
		</div>
	);
}
