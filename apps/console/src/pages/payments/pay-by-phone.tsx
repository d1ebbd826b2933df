import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { type Attempt, isLive } from "./attempt-list.tsx";
import { PhoneForm } from "./phone-form.tsx";
import { usePayingTexts } from "./texts.ts";

type PayByPhone = {
	/** The attempts to pay it, the latest last. */
	attempts: ReadonlyArray<Pick<Attempt, "channel" | "status" | "phone_masked" | "failure_code">>;
	/** Why a phone cannot be asked for the amount, if that is known. */
	refusal?: "amount_not_whole" | "amount_out_of_range" | null;
	/** Asks the phone to pay. */
	ask: (phone: string) => Promise<unknown>;
	/** The cache key of what is paid. */
	invalidates: QueryKey;
};

/** Asks for a phone that pays, and shows that it is being asked. */
export function PayByPhone({ attempts, refusal, ask, invalidates }: PayByPhone) {
	const queries = useQueryClient();
	const words = usePayingTexts();
	const reasonOf = useFailureReason("payment");
	const last = attempts.findLast(({ channel }) => channel === "push");
	if (last !== undefined && isLive(last))
		return (
			<p role="status" className="mt-3 font-semibold">
				{words.prompted(last.phone_masked ?? "")}
			</p>
		);
	if (refusal) return <p className="mt-3">{words.errors[refusal]}</p>;
	return (
		<div className="mt-3 max-w-md">
			{last !== undefined && (
				<p role="status" className="mb-3">
					{promptEndOf(words, last, reasonOf)}
				</p>
			)}
			<PhoneForm
				ask={ask}
				messages={words.errors}
				onAsked={() => queries.invalidateQueries({ queryKey: invalidates })}
			/>
		</div>
	);
}

/** How a prompt ended, in the words of the page. */
export function promptEndOf(
	words: ReturnType<typeof usePayingTexts>,
	{ status, failure_code: code }: Pick<Attempt, "status" | "failure_code">,
	reasonOf: (code: string) => string,
): string {
	if (status === "succeeded" || status === "expired") return words.promptEnds[status];
	return words.promptFailed(reasonOf(code ?? "unknown"));
}
