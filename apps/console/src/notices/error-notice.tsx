import { Button, Countdown, Notice } from "@lango/interface";
import { useTexts } from "../texts/texts.ts";
import { type ErrorMessages, useExplain } from "./explain.ts";
import { PlansLink } from "./plans-link.tsx";

type ErrorNotice = {
	/** Without an error, nothing is shown. */
	error: unknown;
	/** The page's messages by error code. */
	messages?: ErrorMessages | undefined;
	onRetry?: () => unknown;
};

/** The error of a part of a page, with a button to retry. */
export function ErrorNotice({ error, messages, onRetry }: ErrorNotice) {
	const explain = useExplain(messages);
	const { again } = useTexts();
	if (error === null || error === undefined) return null;
	const { message, retryAfterSeconds, reference, isUpgrade } = explain(error);
	return (
		<Notice kind="error">
			<p>
				{message} {retryAfterSeconds !== undefined && <Countdown seconds={retryAfterSeconds} />}{" "}
				{isUpgrade && <PlansLink />}
			</p>
			{reference !== undefined && <p className="mt-1 wrap-anywhere">{reference}</p>}
			{onRetry !== undefined && (
				<Button className="mt-3" onClick={() => void onRetry()}>
					{again}
				</Button>
			)}
		</Notice>
	);
}
