import { type Column, DataTable, RowName } from "@lango/interface";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { Section } from "../../layout/section.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { usePayingTexts } from "./texts.ts";

/** An attempt to pay, as the treasury returns it. */
export type Attempt = {
	id: string;
	channel: string;
	status: string;
	amount_minor: number;
	phone_masked: string | null;
	/** Why it did not pay: a code of ours or of the gateway. */
	failure_code: string | null;
	created_at: string;
};

type AttemptList = { attempts: readonly Attempt[]; currency: string };

/** Statuses of attempts that may still pay. */
const live: ReadonlySet<string> = new Set(["new", "submitting", "awaiting", "unknown"]);

/** Whether an attempt may still pay. */
export const isLive = ({ status }: Pick<Attempt, "status">): boolean => live.has(status);

/** The attempts to pay a bill or an intent, the latest first. */
export function AttemptList({ attempts, currency }: AttemptList) {
	const words = usePayingTexts();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const columns: Column<Attempt>[] = [
		{
			head: words.attempt,
			cell: ({ channel, phone_masked }) => phone_masked ?? wordFor(words.channels, channel),
		},
		{
			head: words.status,
			cell: ({ status, failure_code: code }) => (
				<RowName detail={code && reasonOf(code)}>{wordFor(words.attemptStatuses, status)}</RowName>
			),
		},
		{ head: words.at, cell: ({ created_at }) => format.time(created_at) },
		{ head: words.amount, isNumber: true, cell: ({ amount_minor }) => format.money(amount_minor, currency) },
	];
	return (
		<Section title={words.attempts}>
			<DataTable
				caption={words.attempts}
				columns={columns}
				rows={attempts.toReversed()}
				keyOf={({ id }) => id}
				empty={words.noAttempts}
			/>
		</Section>
	);
}
