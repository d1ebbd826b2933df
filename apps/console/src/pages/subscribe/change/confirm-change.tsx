import type { SubscriptionQuote } from "@lango/contracts";
import { Button, ChoiceField } from "@lango/interface";
import type { UseMutationResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Card } from "../../../layout/section.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { Acknowledgement } from "./acknowledgement.tsx";
import { PriceLines } from "./price-lines.tsx";
import type { RequestedChange } from "./requested-change.ts";
import { useChangeTexts } from "./texts.ts";

type ChangeMode = "now" | "period_end";
export type AcceptedQuote = { quote: SubscriptionQuote; mode: ChangeMode; acknowledge: boolean };

type Confirm = {
	quote: SubscriptionQuote;
	requested: Extract<RequestedChange, { kind: "change" }>;
	/** The time at which it can be scheduled; null if it can only take effect now. */
	scheduledFor: string | null;
	/** Whether the price covers only the rest of the period. */
	isPart: boolean;
	accept: Pick<UseMutationResult<unknown, Error, AcceptedQuote>, "mutate" | "isPending" | "error">;
};

/**
 * Time, price, acknowledgement and confirmation of a change. By default, a change with a loss takes effect
 * at the end of the period.
 */
export function ConfirmChange({ quote, requested, scheduledFor, isPart, accept }: Confirm) {
	const [mode, setMode] = useState<ChangeMode>(scheduledFor === null ? "now" : "period_end");
	const [isAcknowledged, setAcknowledged] = useState(false);
	const [isReminded, setReminded] = useState(false);
	const box = useRef<HTMLInputElement>(null);
	const words = useChangeTexts();
	const format = useFormat();
	const { due_minor, currency, expires_at, acknowledgement_required: mustAcknowledge } = quote;
	const confirm = () => {
		if (mustAcknowledge && !isAcknowledged) {
			setReminded(true);
			box.current?.focus();
			return;
		}
		accept.mutate({ quote, mode, acknowledge: isAcknowledged });
	};
	return (
		<Card title={words.cost}>
			{scheduledFor !== null && <When {...{ quote, requested, scheduledFor, mode }} onChoose={setMode} />}
			{mode === "now" && (
				<div className={scheduledFor === null ? "" : "mt-5"}>
					<PriceLines lines={quote.lines} dueMinor={due_minor} currency={currency} isPart={isPart} />
					<p className="mt-4 text-quiet">
						{isPart && `${words.proration} `}
						{words.paidUntil(format.day(quote.period_ends_at))} {words.validUntil(format.time(expires_at))}
					</p>
				</div>
			)}
			{mustAcknowledge && (
				<Acknowledgement
					box={box}
					isAcknowledged={isAcknowledged}
					onAcknowledge={setAcknowledged}
					isReminded={isReminded && !isAcknowledged}
				/>
			)}
			<div className="mt-6 grid gap-4">
				<ErrorNotice error={accept.error} messages={words.errors} />
				<Button
					kind="action"
					busyText={accept.isPending ? busy(words, mode, due_minor) : undefined}
					onClick={confirm}
				>
					{mode === "period_end"
						? words.confirmEnd(format.day(scheduledFor ?? ""))
						: due_minor > 0
							? words.pay(format.money(due_minor, currency))
							: words.confirmNow}
				</Button>
			</div>
		</Card>
	);
}

const busy = (words: { asking: string; changing: string }, mode: ChangeMode, due: number) =>
	mode === "now" && due > 0 ? words.asking : words.changing;

type When = Pick<Confirm, "quote" | "requested"> & {
	scheduledFor: string;
	mode: ChangeMode;
	onChoose: (mode: ChangeMode) => void;
};

function When({ quote, requested, scheduledFor, mode, onChoose }: When) {
	const words = useChangeTexts();
	const { price } = useSubscribeTexts();
	const format = useFormat();
	const { minor, currency, interval } = requested.price;
	const after = price(format.money(minor, currency), interval);
	return (
		<div className="-mt-3">
			<ChoiceField
				name="mode"
				legend={words.when}
				value={mode}
				onChoose={(value) => onChoose(value === "now" ? "now" : "period_end")}
				choices={[
					{
						value: "period_end",
						label: words.atEnd(format.day(scheduledFor)),
						detail: words.atEndDetail(after),
					},
					{
						value: "now",
						label: words.now,
						detail: quote.due_minor > 0 ? words.nowDetail : words.nowFree,
					},
				]}
			/>
		</div>
	);
}
