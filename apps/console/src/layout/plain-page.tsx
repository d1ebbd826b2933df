import { LookSwitch, PageHeading, SkipLink } from "@lango/interface";
import { createContext, type ReactNode, useContext } from "react";
import { useTexts } from "../texts/texts.ts";

type PlainPage = {
	title: string;
	text?: string;
	/** Further help, in a less prominent style. */
	advice?: string | undefined;
	children?: ReactNode;
};

/**
 * Whether the page is already inside the layout, for example an unknown address below a tenant. Then only
 * the content is shown.
 */
export const InLayout = createContext(false);

/** A page without navigation: a message and the next actions. */
export function PlainPage(page: PlainPage) {
	const isInLayout = useContext(InLayout);
	const texts = useTexts();
	if (isInLayout) return <Words {...page} />;
	return (
		<div className="flex min-h-dvh flex-col">
			<SkipLink />
			<header className="bg-panel text-panel-ink">
				<p className="px-4 py-2 font-display text-2xl sm:px-6 sm:py-4">{texts.wordmark}</p>
			</header>
			<main id="content" tabIndex={-1} className="mx-auto w-full max-w-lg grow px-5 py-4 sm:py-12 md:py-20">
				<Words {...page} />
			</main>
			<footer className="mx-auto w-full max-w-lg px-5 pb-5">
				<LookSwitch />
			</footer>
		</div>
	);
}

function Words({ title, text, advice, children }: PlainPage) {
	const texts = useTexts();
	return (
		<>
			<PageHeading documentTitle={texts.title(title)} announce>
				{title}
			</PageHeading>
			{text !== undefined && <p className="mt-4 max-w-prose text-lg wrap-anywhere">{text}</p>}
			{advice !== undefined && <p className="mt-3 max-w-prose text-quiet wrap-anywhere">{advice}</p>}
			{children !== undefined && <div className="mt-5 flex flex-wrap gap-3 sm:mt-8">{children}</div>}
		</>
	);
}
