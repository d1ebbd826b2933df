import type { Joined } from "@lango/contracts";
import { Button, ChoiceField, PasswordField, TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { useSettings } from "../../settings.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { JoinFields } from "../join/join-fields.tsx";
import { OrganisationFields } from "../organisation/organisation-fields.tsx";
import { PlanField } from "./plan-field.tsx";
import { registerAndSignIn, type Way } from "./register.queries.ts";

type Step = keyof Texts["register"]["steps"];
type Kind = Exclude<Way["kind"], "invited">;
export type Registered = (result: { joined: Joined; isSignedIn: boolean }) => unknown;

const stepsOf: Readonly<Record<Kind, readonly Step[]>> = {
	create_new: ["person", "organisation", "plan"],
	join_existing: ["person", "organisation"],
};
const person = ["name", "email", "password"] as const;
const requiredIn: Readonly<Record<Kind, Partial<Record<Step, ReadonlyArray<keyof Texts["missing"]>>>>> = {
	create_new: { person, organisation: ["organization_name", "slug"] },
	join_existing: { person, organisation: ["tenant_slug"] },
};
const firstFieldOf: Readonly<Record<Kind, Partial<Record<Step, string>>>> = {
	create_new: { organisation: "organization_name", plan: "plan" },
	join_existing: { organisation: "tenant_slug" },
};

/** Registers a person in two or three steps. What was entered in a step stays, also over a reload. */
export function RegisterForm({
	tenant,
	onRegistered,
}: {
	tenant: string | undefined;
	onRegistered: Registered;
}) {
	const texts = useTexts();
	const { register: words } = texts;
	const { authUrl } = useSettings();
	const [kind, setKind] = useState<Kind>(tenant === undefined ? "create_new" : "join_existing");
	const [step, setStep] = useState<Step>("person");
	const steps = stepsOf[kind];
	const at = steps.indexOf(step);
	const isLast = at === steps.length - 1;
	const attempt = useMutation({
		mutationFn: (entered: Entered) => registerAndSignIn(authUrl, { kind }, entered),
		onError: (error) => setStep(stepOf(kind, explainRefusal(error, texts).field, step)),
		onSuccess: onRegistered,
	});
	const next = (entered: Entered) => {
		if (isLast) return attempt.mutate(entered);
		attempt.reset();
		setStep(steps[at + 1] ?? step);
	};
	return (
		<SentForm
			submit={isLast ? words.submit : words.next}
			submitting={words.submitting}
			required={requiredIn[kind][step] ?? []}
			isStep={!isLast}
			isBusy={attempt.isPending || attempt.isSuccess}
			isDone={attempt.isSuccess}
			failure={attempt.error}
			focusFirst={firstFieldOf[kind][step]}
			onSubmit={next}
			aside={
				at > 0 && (
					<Button className="mt-3 w-full" onClick={() => setStep(steps[at - 1] ?? step)}>
						{words.back}
					</Button>
				)
			}
		>
			{(validity) => (
				<>
					<p role="status" className="text-quiet">
						{words.step(at + 1, steps.length, words.steps[step])}
					</p>
					<div hidden={step !== "person"}>
						<PersonFields validity={validity} isBusy={attempt.isPending} />
					</div>
					<div hidden={step !== "organisation"}>
						<WayField kind={kind} onChoose={setKind} />
						{kind === "join_existing" ? (
							<JoinFields validity={validity} slug={tenant ?? ""} />
						) : (
							<OrganisationFields validity={validity} />
						)}
					</div>
					{kind === "create_new" && (
						<div hidden={step !== "plan"}>
							<PlanField />
						</div>
					)}
				</>
			)}
		</SentForm>
	);
}

/** The step with a field; the open one if none has it. */
function stepOf(kind: Kind, field: string | undefined, open: Step): Step {
	const found = stepsOf[kind].find((one) => requiredIn[kind][one]?.some((name) => name === field));
	return found ?? open;
}

type Fields = {
	validity: (name: string) => { isInvalid: boolean; error: string | undefined };
	isBusy: boolean;
};

/** Name, address and password. The address of an invitation is given and cannot be changed. */
export function PersonFields({ validity, isBusy, email }: Fields & { email?: string }) {
	const { field } = useTexts();
	return (
		<>
			<TextField
				{...validity("name")}
				name="name"
				label={field.name}
				autoComplete="name"
				isProse
				maxLength={200}
			/>
			<TextField
				{...validity("email")}
				name="email"
				type="email"
				label={field.email}
				autoComplete="username"
				{...(email !== undefined && { value: email, readOnly: true })}
			/>
			<PasswordField
				{...validity("password")}
				name="password"
				label={field.password}
				hint={field.passwordHint}
				autoComplete="new-password"
				isBusy={isBusy}
			/>
		</>
	);
}

function WayField({ kind, onChoose }: { kind: Kind; onChoose: (kind: Kind) => void }) {
	const { register: words } = useTexts();
	const choices = [
		{ value: "create_new", label: words.createNew, detail: words.createNewDetail },
		{ value: "join_existing", label: words.joinExisting, detail: words.joinExistingDetail },
	];
	return (
		<ChoiceField
			name="way"
			legend={words.how}
			choices={choices}
			value={kind}
			onChoose={(chosen) => onChoose(chosen === "create_new" ? chosen : "join_existing")}
		/>
	);
}
