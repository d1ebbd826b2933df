import { SelectField, TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { cardPlansKey, intervals, makePlan } from "./card-plan.queries.ts";
import { checkPlan, readPlan } from "./card-plan-form.ts";
import { useCardPlanTexts } from "./texts.ts";

/** A button that makes a plan. A request that is sent twice takes effect once. */
export function MakePlanButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useCardPlanTexts();
	const keys = useGrantKeys("a card plan");
	const currency = useTenant()?.currency ?? "KES";
	const make = (entered: FormData) => {
		const request = readPlan(entered, currency);
		return makePlan(platform, scope, { request, idempotencyKey: keys.keyFor(JSON.stringify(request)) });
	};
	const { label, lead, confirm, busy, done } = words.make;
	return (
		<FormButton
			{...{ label, lead, confirm, done, busyText: busy }}
			messages={words.errors}
			check={(entered) => checkPlan(entered, { currency, words })}
			action={make}
			onDone={() => keys.forget()}
			invalidates={cardPlansKey(scope)}
		>
			{(field) => (
				<>
					<TextField {...field("name")} label={words.name} autoComplete="off" maxLength={100} isProse />
					<TextField
						{...field("amount_minor")}
						label={words.amountIn(currency)}
						hint={words.amountHint}
						inputMode="decimal"
						autoComplete="off"
						maxLength={20}
					/>
					<SelectField
						{...field("interval")}
						label={words.interval}
						options={intervals.map((value) => ({ value, label: words.intervals[value] }))}
						defaultValue="monthly"
					/>
				</>
			)}
		</FormButton>
	);
}
