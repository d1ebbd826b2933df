import { buttonLook, ChecksField, SelectField, TextAreaField, TextField } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useDialogTexts } from "../../dialogs/texts.ts";
import { textOf } from "../../forms/form-data.ts";
import { type Field, SubmitForm } from "../../forms/submit-form.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { type Catalogue, catalogueQuery, sortCodes } from "../plans/catalogue.queries.ts";
import { checkOverrides, featureField, limitField, readOverrides } from "./override-form.ts";
import {
	type Overrides,
	oneTenantQuery,
	overridesKey,
	overridesQuery,
	setOverrides,
} from "./tenant.queries.ts";
import { useTenantTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/tenants/$tenantId/entitlements");

/** `/{slug}/platform/tenants/{tenantId}/entitlements`: the overrides of a tenant's plan. */
export function EntitlementsPage() {
	const { slug, tenantId } = route.useParams();
	const platform = usePlatform();
	const tenant = useQuery(oneTenantQuery(platform, tenantId));
	const overrides = useQuery(overridesQuery(platform, tenantId));
	const catalogue = useQuery(catalogueQuery(platform));
	const words = useTenantTexts();
	const name = tenant.data?.name ?? words.one;
	return (
		<>
			<BackLink to="/$slug/platform/tenants/$tenantId" params={{ slug, tenantId }}>
				{name}
			</BackLink>
			<Page title={words.setOverrides} lead={words.setLead(name)}>
				<Loaded query={catalogue}>
					{(all) => (
						<Loaded query={overrides} isMain>
							{(set) =>
								set === null ? (
									<p className="text-quiet">{words.noSubscription}</p>
								) : (
									<div className="max-w-2xl">
										<OverridesForm tenantId={tenantId} set={set} catalogue={all} />
									</div>
								)
							}
						</Loaded>
					)}
				</Loaded>
			</Page>
		</>
	);
}

type Form = { tenantId: string; set: Overrides; catalogue: Catalogue };

function OverridesForm({ tenantId, set, catalogue }: Form) {
	const { slug } = route.useParams();
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useTenantTexts();
	const { cancel } = useDialogTexts();
	const codes = sortCodes(catalogue);
	const page = { to: "/$slug/platform/tenants/$tenantId", params: { slug, tenantId } } as const;
	const attempt = useMutation({
		mutationFn: (entered: FormData) =>
			setOverrides(platform, {
				id: tenantId,
				because: textOf(entered, "because"),
				...readOverrides(entered, codes),
			}),
		onSuccess: async () => {
			queries.removeQueries({ queryKey: overridesKey(tenantId) });
			await queries.invalidateQueries({ queryKey: ["subscription", tenantId] });
			await queries.invalidateQueries({ queryKey: ["subscription-changes", tenantId] });
			await navigate(page);
			showToast("done", words.setDone);
		},
	});
	return (
		<SubmitForm
			submit={words.save}
			submitting={words.saving}
			isBusy={attempt.isPending}
			failure={attempt.error}
			fieldMessages={words.fieldErrors}
			check={(entered) =>
				checkOverrides(readOverrides(entered, codes), textOf(entered, "because"), words.fieldErrors)
			}
			onSubmit={(entered) => attempt.mutate(entered)}
			aside={
				<Link {...page} className={buttonLook("plain")}>
					{cancel}
				</Link>
			}
		>
			{(field) => (
				<>
					<Fields set={set} codes={codes} field={field} />
					<TextAreaField
						{...field("because")}
						label={words.because}
						hint={words.becauseHint}
						maxLength={500}
						isProse
					/>
				</>
			)}
		</SubmitForm>
	);
}

type Fields = {
	set: Overrides;
	codes: ReturnType<typeof sortCodes>;
	field: Field;
};

function Fields({ set, codes, field }: Fields) {
	const words = useTenantTexts();
	const texts = useTexts();
	const ways = [
		{ value: "", label: words.asPlan },
		{ value: "on", label: words.on },
		{ value: "off", label: words.off },
	];
	return (
		<>
			<h2 className="font-display text-xl">{words.features}</h2>
			<div className="-mt-2 grid gap-x-6 sm:grid-cols-2">
				{codes.features.map((code) => (
					<SelectField
						key={code}
						{...field(featureField(code))}
						label={wordFor(texts.features, code)}
						options={ways}
						defaultValue={wayOf(set.features[code])}
					/>
				))}
			</div>
			<h2 className="mt-8 font-display text-xl">{words.limits}</h2>
			<p className="text-quiet">{words.limitHint}</p>
			<div className="-mt-2 grid gap-x-6 sm:grid-cols-2">
				{codes.limits.map((code) => (
					<TextField
						key={code}
						{...field(limitField(code))}
						label={wordFor(texts.limits, code)}
						defaultValue={set.limits[code] === undefined ? "" : String(set.limits[code])}
						maxLength={10}
						isOptional
					/>
				))}
			</div>
			<h2 className="mt-8 font-display text-xl">{words.products}</h2>
			<ChecksField
				{...field("products")}
				legend={words.furtherProducts}
				choices={codes.products.map((code) => ({ value: code, label: wordFor(texts.products, code) }))}
				checked={set.products}
			/>
		</>
	);
}

function wayOf(isOn: boolean | undefined): string {
	if (isOn === undefined) return "";
	return isOn ? "on" : "off";
}
