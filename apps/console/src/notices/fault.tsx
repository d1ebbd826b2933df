import { Button, Notice } from "@lango/interface";
import { useTexts } from "../texts/texts.ts";
import { type OwnWords, useExplain } from "./explain.ts";
import { PlansLink } from "./plans-link.tsx";

type Fault = {
	/** Nothing is shown without one. */
	error: unknown;
	/** The page's words by code. */
	own?: OwnWords;
	onAgain?: () => unknown;
};

/** What went wrong on a part of a page, and again. */
export function Fault({ error, own, onAgain }: Fault) {
	const explain = useExplain(own);
	const { again } = useTexts();
	if (error === null || error === undefined) return null;
	const { message, reference, isUpgrade } = explain(error);
	return (
		<Notice kind="fault">
			<p>
				{message} {isUpgrade && <PlansLink />}
			</p>
			{reference !== undefined && <p className="mt-1 wrap-anywhere">{reference}</p>}
			{onAgain !== undefined && (
				<Button className="mt-3" onClick={() => void onAgain()}>
					{again}
				</Button>
			)}
		</Notice>
	);
}
