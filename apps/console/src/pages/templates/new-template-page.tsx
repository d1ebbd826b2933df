import { ChecksField, SelectField, TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { textOf, textsOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Page } from "../../layout/page.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { UnauthorizedPage } from "../unauthorized/unauthorized-page.tsx";
import { hasSubject } from "./draft/draft.ts";
import {
	channels,
	createTemplate,
	type NewTemplate,
	ownCategories,
	type TemplateScope,
} from "./draft/templates.queries.ts";
import { useTemplateTexts } from "./draft/texts.ts";
import { TemplateGate } from "./template-gate.tsx";

const tenantRoute = getRouteApi("/$slug/templates/new");
const platformRoute = getRouteApi("/$slug/platform/templates/new");

/** `/{slug}/templates/new`: creates a template of the tenant's own. */
export function NewTemplatePage() {
	const { slug } = tenantRoute.useParams();
	return (
		<TemplateGate slug={slug}>
			{(scope, { mayChange }) => (mayChange ? <NewTemplateForm scope={scope} /> : <UnauthorizedPage />)}
		</TemplateGate>
	);
}

/** `/{slug}/platform/templates/new`: creates a template of the platform. */
export function NewPlatformTemplatePage() {
	const { slug } = platformRoute.useParams();
	return (
		<TemplateGate slug={slug} isForPlatform>
			{(scope) => <NewTemplateForm scope={scope} />}
		</TemplateGate>
	);
}

const groupForm = /^[a-z][a-z0-9_]{0,39}$/;
const nameForm = /^[a-z][a-z0-9_]{0,59}$/;

function NewTemplateForm({ scope }: { scope: TemplateScope }) {
	const words = useTemplateTexts();
	const { create } = words;
	const platform = usePlatform();
	const navigate = useNavigate();
	const { slug, isPlatform } = scope;
	const attempt = useMutation({
		mutationFn: (body: NewTemplate) => createTemplate(platform, scope, body),
		onSuccess: async ({ template }) => {
			const [group = "", name = ""] = template.path.split("/");
			await navigate({
				to: isPlatform ? "/$slug/platform/templates/$group/$name" : "/$slug/templates/$group/$name",
				params: { slug, group, name },
			});
			showToast("done", create.done);
		},
	});
	const check = (entered: FormData) =>
		errorsOf([
			[!groupForm.test(textOf(entered, "group")), "group", create.groupWrong],
			[!nameForm.test(textOf(entered, "name")), "name", create.nameWrong],
			[textsOf(entered, "channels").length === 0, "channels", create.channelsMissing],
		]);
	return (
		<>
			<BackLink to={isPlatform ? "/$slug/platform/templates" : "/$slug/templates"} params={{ slug }}>
				{isPlatform ? words.platformTitle : words.title}
			</BackLink>
			<Page title={create.label} lead={isPlatform ? create.platformLead : create.lead}>
				<div className="max-w-2xl">
					<SubmitForm
						submit={create.submit}
						submitting={create.submitting}
						isBusy={attempt.isPending}
						failure={attempt.error}
						messages={words.errors}
						fieldMessages={{ path: isPlatform ? create.groupUnknown : create.pathRefused }}
						check={check}
						onSubmit={(entered) => attempt.mutate(readTemplate(entered))}
					>
						{(field) => (
							<>
								<TextField {...field("group")} label={create.group} hint={create.groupHint} maxLength={40} />
								<TextField {...field("name")} label={create.name} hint={create.nameHint} maxLength={60} />
								<SelectField
									{...field("category")}
									label={words.category}
									hint={create.categoryHint}
									defaultValue="general"
									options={ownCategories.map((value) => ({ value, label: words.categories[value] }))}
								/>
								<ChecksField
									{...field("channels")}
									legend={words.channels}
									choices={channels.map((value) => ({ value, label: words.channelNames[value] }))}
									checked={["email"]}
								/>
							</>
						)}
					</SubmitForm>
				</div>
			</Page>
		</>
	);
}

function readTemplate(entered: FormData): NewTemplate {
	const chosen = textsOf(entered, "channels");
	return {
		path: `${textOf(entered, "group")}/${textOf(entered, "name")}`,
		category: textOf(entered, "category"),
		variables: [],
		samples: {},
		contents: channels
			.filter((channel) => chosen.includes(channel))
			.map((channel) => ({ channel, locale: "en", source: "", ...(hasSubject(channel) && { subject: "" }) })),
	};
}
