import { TextField } from "@lango/interface";
import { useNavigate } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { askForPayment, intentsKey } from "./intent.queries.ts";
import { checkIntent, readIntent } from "./intent-form.ts";
import { useIntentTexts } from "./texts.ts";

/** A button that asks for a payment, and opens it. A request that is sent twice takes effect once. */
export function AskForPaymentButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useIntentTexts();
	const navigate = useNavigate();
	const keys = useGrantKeys("a payment");
	const currency = useTenant()?.currency ?? "KES";
	const ask = (entered: FormData) => {
		const request = readIntent(entered, currency);
		const idempotencyKey = keys.keyFor(JSON.stringify(request));
		return askForPayment(platform, scope, { request, idempotencyKey });
	};
	const { label, lead, confirm, busy, done } = words.ask;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			fieldMessages={words.fieldErrors}
			check={(entered) => checkIntent(entered, { currency, words })}
			action={ask}
			redirect={({ id }) => navigate({ to: "/$slug/payments/$id", params: { slug: scope.slug, id } })}
			onDone={() => keys.forget()}
			invalidates={intentsKey(scope)}
		>
			{(field) => <IntentFields field={field} currency={currency} />}
		</FormButton>
	);
}

function IntentFields({ field, currency }: { field: Field; currency: string }) {
	const words = useIntentTexts();
	return (
		<>
			<TextField
				{...field("amount_minor")}
				label={words.amountIn(currency)}
				hint={words.amountHint}
				inputMode="decimal"
				autoComplete="off"
				maxLength={20}
			/>
			<TextField
				{...field("description")}
				label={words.description}
				hint={words.descriptionHint}
				autoComplete="off"
				maxLength={200}
				isProse
			/>
			<TextField {...field("order_id")} label={words.order} autoComplete="off" maxLength={100} isOptional />
			<TextField
				{...field("customer.phone")}
				type="tel"
				label={words.payerPhone}
				autoComplete="off"
				maxLength={20}
				isOptional
			/>
			<TextField
				{...field("customer.email")}
				type="email"
				label={words.payerEmail}
				hint={words.payerEmailHint}
				autoComplete="off"
				maxLength={254}
				isOptional
			/>
		</>
	);
}
