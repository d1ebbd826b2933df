import { ChoiceField, Notice, SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { SaveForm } from "../../forms/save-form.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { cardName } from "../card-plans/card-plan-form.ts";
import { useCardPlanTexts } from "../card-plans/texts.ts";
import {
	type BillingMethod,
	billingMethodKey,
	billingMethodQuery,
	type MethodKind,
	methodKinds,
	saveBillingMethod,
} from "./billing-method.queries.ts";
import { checkMethod, needsPhone, readMethod } from "./billing-method-form.ts";
import { useBillTexts } from "./texts.ts";

type Props = { slug: string; mayChange: boolean };

/** How renewals of an organisation are paid: by hand, by a phone that is asked, or by a wallet or card. */
export function BillingMethodSection({ slug, mayChange }: Props) {
	const words = useBillTexts().method;
	const found = useQuery(billingMethodQuery(usePlatform(), slug));
	return (
		<Section title={words.title} lead={words.lead}>
			<Loaded query={found}>
				{(stored) =>
					mayChange ? (
						<MethodForm key={JSON.stringify(stored)} slug={slug} stored={stored} />
					) : (
						<MethodRows stored={stored} />
					)
				}
			</Loaded>
		</Section>
	);
}

function MethodRows({ stored }: { stored: BillingMethod }) {
	const words = useBillTexts().method;
	const { kind, phone, email, card_subscription } = stored;
	return (
		<>
			<DetailRows
				rows={[
					[words.kind, words.kinds[kind]],
					[words.phone, phone],
					[words.card, card_subscription?.card == null ? null : cardName(card_subscription.card)],
					[words.email, email ?? words.none],
				]}
			/>
			<MethodState stored={stored} />
		</>
	);
}

/** What the wallet or the card pays next, whether somebody has to act, and why the last attempt failed. */
function MethodState({ stored }: { stored: BillingMethod }) {
	const words = useBillTexts().method;
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const { last_failure: last, standing_order, card_subscription } = stored;
	const code = standing_order?.failure_code ?? card_subscription?.failure_code ?? null;
	return (
		<>
			<Collecting stored={stored} />
			{code !== null && <Hint kind="warning">{words.reason(reasonOf(code))}</Hint>}
			{last !== null && (
				<Hint kind="warning">{words.lastFailed(format.time(last.at), reasonOf(last.code))}</Hint>
			)}
		</>
	);
}

function Collecting({ stored }: { stored: BillingMethod }) {
	const words = useBillTexts().method;
	const { statuses } = useCardPlanTexts();
	const format = useFormat();
	const { standing_order: order, card_subscription: one } = stored;
	if (order?.needs_replacement === true) return <Hint kind="warning">{words.replaceOrder}</Hint>;
	if (stored.collected_by !== stored.kind) return <Hint kind="warning">{words.phoneIsAsked}</Hint>;
	if (one === null) return null;
	if (one.status === "active" && one.next_payment_at !== null)
		return (
			<Hint kind="plain">
				{words.nextCharge(format.money(one.amount_minor, one.currency), format.day(one.next_payment_at))}
			</Hint>
		);
	const isWrong = one.status !== "active" && one.status !== "creating";
	return <Hint kind={isWrong ? "warning" : "plain"}>{words.cardState(statuses[one.status])}</Hint>;
}

const Hint = ({ kind, children }: { kind: "plain" | "warning"; children: string }) => (
	<div className="mb-4">
		<Notice kind={kind}>{children}</Notice>
	</div>
);

function MethodForm({ slug, stored }: { slug: string; stored: BillingMethod }) {
	const platform = usePlatform();
	const words = useBillTexts().method;
	return (
		<div className="max-w-2xl">
			<MethodState stored={stored} />
			<SaveForm
				texts={words}
				save={(entered) => saveBillingMethod(platform, slug, readMethod(entered))}
				invalidates={billingMethodKey(slug)}
				messages={words.errors}
				check={(entered) => checkMethod(entered, words)}
			>
				{(field) => <MethodFields stored={stored} field={field} />}
			</SaveForm>
		</div>
	);
}

function MethodFields({ stored, field }: { stored: BillingMethod; field: Field }) {
	const words = useBillTexts().method;
	const [kind, setKind] = useState<MethodKind>(stored.kind);
	const choices = methodKinds.map((value) => ({
		...{ value, label: words.kinds[value], detail: words.details[value] },
	}));
	return (
		<>
			<ChoiceField
				{...field("kind")}
				legend={words.kind}
				choices={choices}
				value={kind}
				onChoose={(value) => setKind(value as MethodKind)}
			/>
			{kind === "card_subscription" && <CardField stored={stored} field={field} />}
			{needsPhone(kind) && (
				<TextField
					{...field("phone")}
					type="tel"
					label={words.phone}
					hint={words.phoneHint}
					defaultValue={stored.phone ?? ""}
					autoComplete="tel"
					maxLength={20}
				/>
			)}
			<TextField
				{...field("email")}
				type="email"
				label={words.email}
				defaultValue={stored.email ?? ""}
				autoComplete="email"
				maxLength={254}
				isOptional
			/>
		</>
	);
}

function CardField({ stored: { cards, card_subscription }, field }: { stored: BillingMethod; field: Field }) {
	const words = useBillTexts().method;
	const format = useFormat();
	return (
		<SelectField
			{...field("authorization_id")}
			label={words.card}
			hint={cards.length === 0 ? words.noCards : words.cardHint}
			options={[
				{ value: "", label: "–" },
				...cards.map((card) => ({
					value: card.id,
					label: `${cardName(card)}, ${words.until(format.day(card.expires_on))}`,
				})),
			]}
			defaultValue={card_subscription?.authorization_id ?? ""}
		/>
	);
}
