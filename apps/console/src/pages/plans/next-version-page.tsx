import { buttonLook, ConfirmDialog, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useDialogTexts } from "../../dialogs/texts.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import {
	type Catalogue,
	catalogueQuery,
	itemQuery,
	itemsKey,
	type Kind,
	newestQuery,
	publishVersion,
	sortCodes,
	type Version,
} from "./catalogue.queries.ts";
import { pageOf } from "./item-paths.ts";
import { useCatalogueTexts } from "./texts.ts";
import { VersionFields } from "./version-fields.tsx";
import { checkVersion, readVersion } from "./version-form.ts";

const planRoute = getRouteApi("/$slug/platform/plans/$code/next");
const addOnRoute = getRouteApi("/$slug/platform/add-ons/$code/next");

/** `/{slug}/platform/plans/{code}/next`: creates the next version of a plan from its newest one. */
export function NextPlanPage() {
	return <NextVersionPage kind="plans" code={planRoute.useParams().code} />;
}

/** `/{slug}/platform/add-ons/{code}/next`: creates the next version of an add-on. */
export function NextAddOnPage() {
	return <NextVersionPage kind="add-ons" code={addOnRoute.useParams().code} />;
}

function NextVersionPage({ kind, code }: { kind: Kind; code: string }) {
	const platform = usePlatform();
	const slug = useSlug();
	const item = useQuery(itemQuery(platform, kind, code));
	const newest = useQuery(newestQuery(platform, kind, code));
	const catalogue = useQuery(catalogueQuery(platform));
	const words = useCatalogueTexts();
	const name = item.data?.name ?? code;
	return (
		<>
			<BackLink to={pageOf[kind]} params={{ slug, code }}>
				{name}
			</BackLink>
			<Page title={words.nextVersion} lead={words.nextLead(name)}>
				<div className="max-w-2xl">
					<Notice kind="warning">{words.nextNotice}</Notice>
					<Loaded query={catalogue} isMain>
						{(all) => (
							<Loaded query={newest}>
								{(from) => <VersionForm kind={kind} code={code} name={name} from={from} catalogue={all} />}
							</Loaded>
						)}
					</Loaded>
				</div>
			</Page>
		</>
	);
}

type Form = { kind: Kind; code: string; name: string; from: Version | null; catalogue: Catalogue };

/** Publishing cannot be undone, so it asks by the name first. */
function VersionForm({ kind, code, name, from, catalogue }: Form) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const slug = useSlug();
	const words = useCatalogueTexts();
	const { cancel } = useDialogTexts();
	const codes = sortCodes(catalogue);
	const version = (from?.version ?? 0) + 1;
	const [entered, setEntered] = useState<FormData>();
	const [isAsking, setAsking] = useState(false);
	const page = { to: pageOf[kind], params: { slug, code } } as const;
	const attempt = useMutation({
		mutationFn: (sent: FormData) =>
			publishVersion(platform, { kind, code, body: readVersion(sent, kind, codes) }),
		onSuccess: async ({ version }) => {
			await queries.invalidateQueries({ queryKey: itemsKey(kind), refetchType: "none" });
			await navigate(page);
			showToast("done", words.published(version));
		},
		onError: () => setAsking(false),
	});
	const ask = (sent: FormData) => {
		setEntered(sent);
		setAsking(true);
	};
	return (
		<>
			<SubmitForm
				// Entries that were not confirmed are not saved.
				isChanged={entered !== undefined && attempt.isIdle}
				submit={words.publish(version)}
				opensDialog
				submitting={words.publishing}
				isBusy={attempt.isPending}
				failure={attempt.error}
				messages={words.errors}
				fieldMessages={words.fieldErrors}
				check={(sent) => checkVersion(readVersion(sent, kind, codes), words.fieldErrors)}
				onSubmit={ask}
				aside={
					<Link {...page} className={buttonLook("plain")}>
						{cancel}
					</Link>
				}
			>
				{(field) => (
					<VersionFields kind={kind} from={from} catalogue={catalogue} codes={codes} field={field} />
				)}
			</SubmitForm>
			{isAsking && entered !== undefined && (
				<ConfirmDialog
					title={words.publishTitle(version, name)}
					typed={name}
					confirm={words.publish(version)}
					busyText={attempt.isPending ? words.publishing : undefined}
					onConfirm={() => attempt.mutate(entered)}
					onClose={() => setAsking(false)}
				>
					{words.nextNotice}
				</ConfirmDialog>
			)}
		</>
	);
}
