import { SelectField, TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { dayAt } from "../../tenant/day-in-zone.ts";
import { intervals } from "../card-plans/card-plan.queries.ts";
import { askForOrder, ordersKey } from "./standing-order.queries.ts";
import { checkOrder, readOrder } from "./standing-order-form.ts";
import { useStandingOrderTexts } from "./texts.ts";

/** Wallets of mobile money live in this zone. */
const walletZone = "Africa/Nairobi";

/** A button that asks a payer for a standing order. A request that is sent twice takes effect once. */
export function AskForOrderButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useStandingOrderTexts();
	const keys = useGrantKeys("a standing order");
	const today = dayAt(new Date(), walletZone);
	const ask = (entered: FormData) => {
		const request = readOrder(entered);
		const idempotencyKey = keys.keyFor(JSON.stringify(request));
		return askForOrder(platform, scope, { request, idempotencyKey });
	};
	const { label, lead, confirm, busy, done } = words.ask;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			check={(entered) => checkOrder(entered, { today, words })}
			action={ask}
			onDone={() => keys.forget()}
			invalidates={ordersKey(scope)}
		>
			{(field) => <OrderFields field={field} today={today} />}
		</FormButton>
	);
}

function OrderFields({ field, today }: { field: Field; today: string }) {
	const words = useStandingOrderTexts();
	return (
		<>
			<TextField
				{...field("phone")}
				type="tel"
				label={words.phone}
				hint={words.phoneHint}
				autoComplete="off"
				maxLength={20}
			/>
			<TextField
				{...field("amount_minor")}
				label={words.amountIn("KES")}
				inputMode="decimal"
				autoComplete="off"
				maxLength={20}
			/>
			<SelectField
				{...field("frequency")}
				label={words.frequency}
				options={intervals.map((value) => ({ value, label: words.frequencies[value] }))}
				defaultValue="monthly"
			/>
			<TextField {...field("start_on")} type="date" label={words.start} defaultValue={today} />
			<TextField {...field("end_on")} type="date" label={words.end} />
			<TextField
				{...field("description")}
				label={words.description}
				autoComplete="off"
				maxLength={100}
				isProse
			/>
		</>
	);
}
