import { TextAreaField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { decide, deliverabilityKey, type TenantScope } from "./deliverability.queries.ts";
import { useDeliverabilityTexts } from "./texts.ts";

type DecisionButton = { scope: TenantScope; name: string; verb: "pause" | "resume" };

/** Pauses or resumes a tenant's e-mail, with a reason that its administrators see. */
export function DecisionButton({ scope, name, verb }: DecisionButton) {
	const platform = usePlatform();
	const words = useDeliverabilityTexts();
	const { label, lead, busy, done } = words[verb];
	const check = (entered: FormData) =>
		errorsOf([[textOf(entered, "reason") === "", "reason", words.missingReason]]);
	return (
		<FormButton
			isDestructive={verb === "pause"}
			label={label}
			lead={lead(name)}
			confirm={label}
			busyText={busy}
			messages={words.errors}
			check={check}
			action={(entered) => decide(platform, scope, { verb, reason: textOf(entered, "reason") })}
			invalidates={deliverabilityKey}
			done={done(name)}
		>
			{(field) => (
				<TextAreaField
					{...field("reason")}
					label={words.reason}
					hint={words.reasonHint}
					maxLength={300}
					isProse
				/>
			)}
		</FormButton>
	);
}
