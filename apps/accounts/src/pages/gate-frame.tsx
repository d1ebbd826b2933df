import { LookSwitch, PageHeading } from "@lango/interface";
import type { ReactNode } from "react";
import { Gate, type GateState } from "../gate/gate.tsx";
import { useTexts } from "../texts/texts.ts";

type GateFrame = {
	title: string;
	/** Shown above the heading, for example the tenant's logo. */
	above?: ReactNode;
	gate?: GateState;
	/** Whether the heading gets the focus, so that screen readers read the page from its beginning. */
	announce?: boolean;
	children: ReactNode;
};

/** The layout of all pages except the profile: the gate beside (on a phone above) one column. */
export function GateFrame({ title, above, gate = "closed", announce = false, children }: GateFrame) {
	const texts = useTexts();
	return (
		<div className="flex min-h-dvh flex-col lg:flex-row">
			<header className="relative h-28 shrink-0 overflow-hidden bg-panel md:h-56 lg:sticky lg:top-0 lg:h-dvh lg:w-[44%] lg:max-w-2xl">
				<Gate
					state={gate}
					className="absolute right-4 bottom-0 h-[88%] w-44 md:right-[8%] md:w-80 lg:inset-x-[12%] lg:right-auto lg:h-[80%] lg:w-[76%]"
				/>
				<div className="absolute bottom-4 left-5 md:left-[8%] md:bottom-8 lg:top-10 lg:bottom-auto lg:left-12">
					<p className="font-display text-3xl text-panel-ink md:text-4xl lg:text-3xl">{texts.wordmark}</p>
					<p className="mt-1 hidden text-panel-quiet md:block">{texts.motto}</p>
				</div>
			</header>
			<div className="flex grow flex-col px-5 md:px-8">
				<main className="flex grow items-start justify-center py-7 md:py-16 lg:items-center lg:py-12">
					<div className="w-full max-w-md">
						{above}
						<PageHeading documentTitle={texts.title(title)} announce={announce}>
							{title}
						</PageHeading>
						{children}
					</div>
				</main>
				<footer className="mx-auto w-full max-w-md pb-5">
					<LookSwitch />
				</footer>
			</div>
		</div>
	);
}
