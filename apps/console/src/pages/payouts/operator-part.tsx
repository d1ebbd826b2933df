import { Button, SelectField, TextAreaField, TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { SaveForm } from "../../forms/save-form.tsx";
import { Section } from "../../layout/section.tsx";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { useReload } from "../../notices/use-reload.ts";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { decideAsOperator, type Payout } from "./payout.queries.ts";
import { usePayoutTexts } from "./texts.ts";

type Props = { scope: ServiceScope; payout: Payout };

/** What only the platform owner does: the one-time password, and what became of a payout under review. */
export function OperatorPart({ scope, payout }: Props) {
	return (
		<>
			{payout.status === "needs_otp" && <OneTimePassword scope={scope} payout={payout} />}
			{payout.needs_review && <ResolveButton scope={scope} payout={payout} />}
		</>
	);
}

function OneTimePassword({ scope, payout }: Props) {
	const platform = usePlatform();
	const { otp: words, errors } = usePayoutTexts();
	const reload = useReload(["treasury", scope.slug]);
	const resent = useMutation({
		mutationFn: () => decideAsOperator(platform, payout.id, { path: "resend-otp" }),
		onSuccess: () => reload(words.resent),
	});
	return (
		<Section title={words.title} lead={words.lead}>
			<div className="max-w-md">
				<SaveForm
					texts={{ save: words.confirm, saving: words.busy, saved: words.done }}
					messages={errors}
					check={(entered) => errorsOf([[!/^\d{4,10}$/.test(textOf(entered, "otp")), "otp", words.invalid]])}
					save={(entered) =>
						decideAsOperator(platform, payout.id, {
							...{ path: "otp", body: { otp: textOf(entered, "otp") } },
						})
					}
					invalidates={["treasury", scope.slug]}
					aside={
						<Button busyText={resent.isPending ? words.busy : undefined} onClick={() => resent.mutate()}>
							{words.resend}
						</Button>
					}
				>
					{(field) => (
						<TextField
							{...field("otp")}
							label={words.label}
							inputMode="numeric"
							autoComplete="one-time-code"
							maxLength={10}
						/>
					)}
				</SaveForm>
				<ErrorNotice error={resent.error} messages={errors} />
			</div>
		</Section>
	);
}

function ResolveButton({ scope, payout }: Props) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	const { label, lead, as, choices, confirm, busy, done } = words.resolve;
	return (
		<div className="mt-6">
			<FormButton
				{...{ label, lead, confirm, done, busyText: busy }}
				messages={words.errors}
				check={(entered) => errorsOf([[textOf(entered, "because") === "", "because", words.reject.missing]])}
				action={(entered) =>
					decideAsOperator(platform, payout.id, {
						path: "resolve",
						body: { as: textOf(entered, "as"), because: textOf(entered, "because") },
					})
				}
				invalidates={["treasury", scope.slug]}
			>
				{(field) => (
					<>
						<SelectField
							{...field("as")}
							label={as}
							options={Object.entries(choices).map(([value, text]) => ({ value, label: text }))}
						/>
						<TextAreaField {...field("because")} label={words.because} rows={2} maxLength={300} />
					</>
				)}
			</FormButton>
		</div>
	);
}
