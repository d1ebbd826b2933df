import { TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { makePaymentPage, paymentPagesKey } from "./payment-page.queries.ts";
import { checkPage, readPage } from "./payment-page-form.ts";
import { usePaymentPageTexts } from "./texts.ts";

/** A button that makes a payment page. A request that is sent twice takes effect once. */
export function MakePageButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = usePaymentPageTexts();
	const keys = useGrantKeys("a payment page");
	const currency = useTenant()?.currency ?? "KES";
	const make = (entered: FormData) => {
		const request = readPage(entered, currency);
		return makePaymentPage(platform, scope, {
			request,
			idempotencyKey: keys.keyFor(JSON.stringify(request)),
		});
	};
	const { label, lead, confirm, busy, done } = words.make;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			check={(entered) => checkPage(entered, { currency, words })}
			action={make}
			onDone={() => keys.forget()}
			invalidates={paymentPagesKey(scope)}
		>
			{(field) => <PageFields field={field} currency={currency} />}
		</FormButton>
	);
}

function PageFields({ field, currency }: { field: Field; currency: string }) {
	const words = usePaymentPageTexts();
	return (
		<>
			<TextField {...field("name")} label={words.name} autoComplete="off" maxLength={100} isProse />
			<TextField
				{...field("description")}
				label={words.description}
				autoComplete="off"
				maxLength={300}
				isProse
			/>
			<TextField
				{...field("amount_minor")}
				label={words.amountIn(currency)}
				hint={words.amountHint}
				inputMode="decimal"
				autoComplete="off"
				maxLength={20}
				isOptional
			/>
		</>
	);
}
