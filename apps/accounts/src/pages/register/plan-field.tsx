import { ChoiceField, formatMoney, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { plansQuery } from "./register.queries.ts";

/** The plans with their prices. The choice is optional, also if the plans cannot be loaded. */
export function PlanField() {
	const { subscriptionsUrl } = useSettings();
	const { register: words } = useTexts();
	const language = useLanguage();
	const plans = useQuery(plansQuery(subscriptionsUrl));
	const [chosen, setChosen] = useState("");

	if (subscriptionsUrl === undefined) return null;
	if (plans.isError) return <p className="mt-5 text-quiet">{words.plansMissing}</p>;
	if (plans.data === undefined)
		return (
			<p role="status" className="mt-5 text-quiet">
				{words.plansLoading}
			</p>
		);
	const offers = plans.data.map(({ code, name, price_minor, currency, interval, trial_days }) => {
		const price = words.planPrice(formatMoney(price_minor, { currency, language }), interval);
		const detail = trial_days > 0 ? `${price} · ${words.planTrial(trial_days)}` : price;
		return { value: code, label: name, detail };
	});
	const choices = [...offers, { value: "", label: words.planLater }];
	return (
		<ChoiceField name="plan" legend={words.plan} choices={choices} value={chosen} onChoose={setChosen} />
	);
}
