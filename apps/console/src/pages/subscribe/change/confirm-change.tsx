import type { SubscriptionQuote } from "@lango/contracts";
import { Button, ChoiceField, formatDay, formatMoney, formatTime, useLanguage } from "@lango/interface";
import type { UseMutationResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Card } from "../../../layout/card.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { Acknowledgement } from "./acknowledgement.tsx";
import { PriceLines } from "./price-lines.tsx";
import type { RequestedChange } from "./requested-change.ts";
import { useChangeTexts } from "./texts.ts";

type ChangeMode = "now" | "period_end";
export type Taking = { quote: SubscriptionQuote; mode: ChangeMode; acknowledge: boolean };

type Confirm = {
	quote: SubscriptionQuote;
	wanted: Extract<RequestedChange, { kind: "change" }>;
	/** When it can be scheduled for; null: at once alone. */
	scheduledFor: string | null;
	/** Whether what is charged is for the rest of the period. */
	isPart: boolean;
	take: Pick<UseMutationResult<unknown, Error, Taking>, "mutate" | "isPending" | "error">;
};

/** When, for how much, that what is lost is known, and the deed. What loses something waits for the period's end unless chosen otherwise. */
export function ConfirmChange({ quote, wanted, scheduledFor, isPart, take }: Confirm) {
	const [mode, setMode] = useState<ChangeMode>(scheduledFor === null ? "now" : "period_end");
	const [isKnown, setKnown] = useState(false);
	const [isReminded, setReminded] = useState(false);
	const box = useRef<HTMLInputElement>(null);
	const words = useChangeTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone() };
	const { due_minor, currency, expires_at, acknowledgement_required: mustKnow } = quote;
	const confirm = () => {
		if (mustKnow && !isKnown) {
			setReminded(true);
			box.current?.focus();
			return;
		}
		take.mutate({ quote, mode, acknowledge: isKnown });
	};
	return (
		<Card title={words.cost}>
			{scheduledFor !== null && <When {...{ quote, wanted, scheduledFor, mode }} onChoose={setMode} />}
			{mode === "now" && (
				<div className={scheduledFor === null ? "" : "mt-5"}>
					<PriceLines lines={quote.lines} dueMinor={due_minor} currency={currency} isPart={isPart} />
					<p className="mt-4 text-quiet">
						{isPart && `${words.proration} `}
						{words.paidUntil(formatDay(quote.period_ends_at, zone))}{" "}
						{words.validUntil(formatTime(expires_at, zone))}
					</p>
				</div>
			)}
			{mustKnow && (
				<Acknowledgement box={box} isKnown={isKnown} onKnow={setKnown} isReminded={isReminded && !isKnown} />
			)}
			<div className="mt-6 grid gap-4">
				<ErrorNotice error={take.error} messages={words.refused} />
				<Button
					kind="action"
					busyText={take.isPending ? busy(words, mode, due_minor) : undefined}
					onClick={confirm}
				>
					{mode === "period_end"
						? words.confirmEnd(formatDay(scheduledFor ?? "", zone))
						: due_minor > 0
							? words.pay(formatMoney(due_minor, { currency, language }))
							: words.confirmNow}
				</Button>
			</div>
		</Card>
	);
}

const busy = (words: { asking: string; changing: string }, mode: ChangeMode, due: number) =>
	mode === "now" && due > 0 ? words.asking : words.changing;

type When = Pick<Confirm, "quote" | "wanted"> & {
	scheduledFor: string;
	mode: ChangeMode;
	onChoose: (mode: ChangeMode) => void;
};

function When({ quote, wanted, scheduledFor, mode, onChoose }: When) {
	const words = useChangeTexts();
	const { price } = useSubscribeTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone() };
	const { minor, currency, interval } = wanted.price;
	const after = price(formatMoney(minor, { currency, language }), interval);
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
						label: words.atEnd(formatDay(scheduledFor, zone)),
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
