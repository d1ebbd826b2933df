import { ChoiceField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SaveForm } from "../../forms/save-form.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import {
	type BillingMethod,
	billingMethodKey,
	billingMethodQuery,
	type MethodKind,
	methodKinds,
	saveBillingMethod,
} from "./billing-method.queries.ts";
import { checkMethod, readMethod } from "./billing-method-form.ts";
import { useBillTexts } from "./texts.ts";

type Props = { slug: string; mayChange: boolean };

/** How renewals of an organisation are paid: by hand, or by a phone that is asked. */
export function BillingMethodSection({ slug, mayChange }: Props) {
	const words = useBillTexts().method;
	const found = useQuery(billingMethodQuery(usePlatform(), slug));
	return (
		<Section title={words.title} lead={words.lead}>
			<Loaded query={found}>
				{(stored) =>
					mayChange ? (
						<MethodForm key={JSON.stringify(stored)} slug={slug} stored={stored} />
					) : (
						<MethodRows stored={stored} />
					)
				}
			</Loaded>
		</Section>
	);
}

function MethodRows({ stored: { kind, phone, email } }: { stored: BillingMethod }) {
	const words = useBillTexts().method;
	return (
		<DetailRows
			rows={[
				[words.kind, words.kinds[kind]],
				[words.phone, phone],
				[words.email, email ?? words.none],
			]}
		/>
	);
}

function MethodForm({ slug, stored }: { slug: string; stored: BillingMethod }) {
	const platform = usePlatform();
	const words = useBillTexts().method;
	return (
		<div className="max-w-2xl">
			<SaveForm
				texts={words}
				save={(entered) => saveBillingMethod(platform, slug, readMethod(entered))}
				invalidates={billingMethodKey(slug)}
				messages={words.errors}
				check={(entered) => checkMethod(entered, words)}
			>
				{(field) => <MethodFields stored={stored} field={field} />}
			</SaveForm>
		</div>
	);
}

function MethodFields({ stored, field }: { stored: BillingMethod; field: Field }) {
	const words = useBillTexts().method;
	const [kind, setKind] = useState<MethodKind>(stored.kind);
	const choices = methodKinds.map((value) => ({
		...{ value, label: words.kinds[value], detail: words.details[value] },
	}));
	return (
		<>
			<ChoiceField
				name="kind"
				legend={words.kind}
				choices={choices}
				value={kind}
				onChoose={(value) => setKind(value as MethodKind)}
			/>
			{kind === "push" && (
				<TextField
					{...field("phone")}
					type="tel"
					label={words.phone}
					hint={words.phoneHint}
					defaultValue={stored.phone ?? ""}
					autoComplete="tel"
					maxLength={20}
				/>
			)}
			<TextField
				{...field("email")}
				type="email"
				label={words.email}
				defaultValue={stored.email ?? ""}
				autoComplete="email"
				maxLength={254}
				isOptional
			/>
		</>
	);
}
