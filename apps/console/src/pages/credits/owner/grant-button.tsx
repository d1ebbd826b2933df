import { TextAreaField, TextField } from "@lango/interface";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { textOf } from "../../../forms/form-data.ts";
import { useGrantKeys } from "../../../forms/grant-keys.ts";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { creditKey } from "../credit.queries.ts";
import { checkGrant } from "./check-grant.ts";
import { grantCredit } from "./pack.queries.ts";
import { useOwnerTexts } from "./texts.ts";

/** Gives a tenant SMS credit, or corrects it. A request that is sent twice takes effect once. */
export function GrantButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useOwnerTexts();
	const keys = useGrantKeys("credit");
	const grant = (entered: FormData) => {
		const body = { segments: Number(textOf(entered, "segments")), reason: textOf(entered, "reason") };
		return grantCredit(platform, scope, { ...body, idempotencyKey: keys.keyFor(JSON.stringify(body)) });
	};
	return (
		<FormButton
			label={words.grant}
			lead={words.grantLead}
			confirm={words.grantConfirm}
			busyText={words.granting}
			messages={words.errors}
			check={(entered) => checkGrant(entered, words)}
			action={grant}
			onDone={() => keys.forget()}
			invalidates={creditKey(scope)}
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
