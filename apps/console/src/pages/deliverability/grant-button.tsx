import { createIdempotencyKey } from "@lango/client";
import { TextAreaField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { usePlatform } from "../../platform.ts";
import { checkGrant } from "./check-grant.ts";
import { creditKey, grantCredit, type TenantScope } from "./deliverability.queries.ts";
import { useDeliverabilityTexts } from "./texts.ts";

/** Gives a tenant SMS credit, or corrects it. A request that is sent twice takes effect once. */
export function GrantButton({ scope }: { scope: TenantScope }) {
	const platform = usePlatform();
	const words = useDeliverabilityTexts();
	const [idempotencyKey, setKey] = useState(createIdempotencyKey);
	const grant = (entered: FormData) =>
		grantCredit(platform, scope, {
			segments: Number(textOf(entered, "segments")),
			reason: textOf(entered, "reason"),
			idempotencyKey,
		});
	return (
		<FormButton
			label={words.grant}
			lead={words.grantLead}
			confirm={words.grantConfirm}
			busyText={words.granting}
			messages={words.errors}
			check={(entered) => checkGrant(entered, words)}
			action={grant}
			onDone={() => setKey(createIdempotencyKey())}
			invalidates={creditKey(scope.slug)}
			done={words.granted}
		>
			{(field) => (
				<>
					<TextField
						{...field("segments")}
						label={words.segments}
						hint={words.segmentsHint}
						inputMode="text"
						maxLength={11}
					/>
					<TextAreaField {...field("reason")} label={words.reason} maxLength={200} isProse />
				</>
			)}
		</FormButton>
	);
}
