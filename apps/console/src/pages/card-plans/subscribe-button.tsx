import { SelectField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { useWholeList } from "../../lists/searched-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type CardPlan, cardPlansKey, cardsQuery, plansAddress, subscribeCard } from "./card-plan.queries.ts";
import { cardName, checkSubscription, readSubscription } from "./card-plan-form.ts";
import { useCardPlanTexts } from "./texts.ts";

/** A button that charges a card by a plan. A request that is sent twice takes effect once. */
export function SubscribeButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useCardPlanTexts();
	const keys = useGrantKeys("a card subscription");
	const subscribe = (entered: FormData) => {
		const request = readSubscription(entered);
		const idempotencyKey = keys.keyFor(JSON.stringify(request));
		return subscribeCard(platform, scope, { request, idempotencyKey });
	};
	const { label, lead, confirm, busy, done } = words.subscribe;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			check={(entered) => checkSubscription(entered, words)}
			action={subscribe}
			onDone={() => keys.forget()}
			invalidates={cardPlansKey(scope)}
		>
			{(field) => <SubscriptionFields field={field} scope={scope} />}
		</FormButton>
	);
}

const nothing = { value: "", label: "–" };

function SubscriptionFields({ field, scope }: { field: Field; scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useCardPlanTexts();
	const format = useFormat();
	const plans = useWholeList<CardPlan>({
		...{ key: [...cardPlansKey(scope), "plans"], address: plansAddress(platform, scope), outlet: "none" },
	});
	const cards = useQuery(cardsQuery(platform, scope));
	const planName = ({ name, amount_minor, currency, interval }: CardPlan) =>
		`${name}, ${format.money(amount_minor, currency)}, ${words.intervals[interval]}`;
	return (
		<>
			<Loaded query={plans}>
				{(all) => (
					<SelectField
						{...field("plan_id")}
						label={words.plan}
						options={[
							nothing,
							...all
								.filter(({ status }) => status === "active")
								.map((plan) => ({ value: plan.id, label: planName(plan) })),
						]}
					/>
				)}
			</Loaded>
			<Loaded query={cards}>
				{(all) => (
					<SelectField
						{...field("authorization_id")}
						label={words.card}
						hint={words.cardHint}
						options={[
							nothing,
							...all.map((card) => ({
								value: card.id,
								label: `${cardName(card)}, ${words.until(format.day(card.expires_on))}`,
							})),
						]}
					/>
				)}
			</Loaded>
		</>
	);
}
