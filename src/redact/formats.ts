// The formats of keys and tokens that begin with fixed characters, as their issuers and the public lists of gitleaks and
// secretlint describe them. Each expression is tried only where its start was found, and takes bounded time.

/** What a placeholder calls a secret. */
export type SecretKind =
  | 'aws'
  | 'azure'
  | 'anthropic'
  | 'github'
  | 'gitlab'
  | 'google'
  | 'huggingface'
  | 'jwt'
  | 'npm'
  | 'openai'
  | 'password'
  | 'private-key'
  | 'pypi'
  | 'secret'
  | 'sendgrid'
  | 'slack'
  | 'stripe'
  | 'token'
  | 'twilio';

/** One format. */
export interface TokenFormat {
  readonly kind: SecretKind;
  /** One of these begins it. */
  readonly starts: readonly string[];
  /** The whole token from its start, or its group `secret` only. Sticky. */
  readonly form: RegExp;
  /** Characters that cannot come before it. Default: letters and digits. */
  readonly after?: RegExp;
}

/** A run of Base64 contains any short start sooner or later. */
const BASE64 = /[A-Za-z0-9+]/;

export const TOKEN_FORMATS: readonly TokenFormat[] = [
  {
    kind: 'aws',
    starts: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    form: /A[KSBC][IC]A[A-Z2-7]{16}(?![A-Za-z0-9])/y,
    after: BASE64,
  },
  {
    kind: 'github',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    form: /gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255}/y,
  },
  {
    kind: 'gitlab',
    starts: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glagent-'],
    form: /gl[a-z]{2,5}-[A-Za-z0-9_-]{20,255}/y,
  },
  {
    kind: 'slack',
    starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe', 'xapp-'],
    form: /xox[bpares](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{20,255}/y,
  },
  {
    kind: 'slack',
    starts: ['hooks.slack.com/services/'],
    form: /hooks\.slack\.com\/services\/(?<secret>T\w{6,16}\/B\w{6,16}\/\w{20,32})/dy,
  },
  {
    kind: 'stripe',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    form: /[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/]{32,255}/y,
  },
  {
    kind: 'google',
    starts: ['AIza', 'GOCSPX-', 'ya29.'],
    form: /AIza[\w-]{35}(?![A-Za-z0-9])|GOCSPX-[\w-]{28}|ya29\.[\w-]{30,1024}/y,
    after: BASE64,
  },
  { kind: 'npm', starts: ['npm_'], form: /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y },
  { kind: 'pypi', starts: ['pypi-'], form: /pypi-[A-Za-z0-9_-]{60,512}/y },
  { kind: 'anthropic', starts: ['sk-ant-'], form: /sk-ant-[a-z]{2,8}\d\d-[\w-]{32,255}/y },
  {
    kind: 'openai',
    starts: ['sk-'],
    form: /sk-(?:proj|svcacct|admin|None|or-v1)-[\w-]{32,255}|sk-[A-Za-z0-9]{32,64}(?![\w-])/y,
  },
  {
    kind: 'huggingface',
    starts: ['hf_', 'api_org_'],
    form: /(?:hf|api_org)_[A-Za-z0-9]{34}(?![A-Za-z0-9])/y,
  },
  { kind: 'sendgrid', starts: ['SG.'], form: /SG\.[\w-]{16,32}\.[\w-]{32,64}/y },
  { kind: 'twilio', starts: ['SK'], form: /SK[0-9a-f]{32}(?![A-Za-z0-9])/y, after: BASE64 },
  {
    kind: 'azure',
    starts: ['AccountKey=', 'SharedAccessKey='],
    form: /(?:Account|SharedAccess)Key=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/dy,
  },
  { kind: 'azure', starts: ['sig='], form: /sig=(?<secret>[A-Za-z0-9+/%]{40,100}(?:%3[Dd]|=))/dy },
  {
    kind: 'jwt',
    starts: ['eyJ'],
    form: /eyJ[A-Za-z0-9_-]{10,2048}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{16,2048}/y,
    after: BASE64,
  },
  // Formats of other services, which placeholders do not tell apart.
  {
    kind: 'token',
    starts: [
      'dop_v1_',
      'doo_v1_',
      'dor_v1_',
      'shpat_',
      'shpca_',
      'shppa_',
      'shpss_',
      'dapi',
      'sbp_',
      'nvapi-',
    ],
    form: /do[opr]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,40}|dapi[a-fA-F0-9]{32}(?![A-Za-z0-9])|sbp_[a-f0-9]{40}|nvapi-[\w-]{60,80}/y,
  },
  {
    kind: 'token',
    starts: [
      'hvs.',
      'hvb.',
      'glsa_',
      'glc_',
      'gsk_',
      'xai-',
      'pplx-',
      'r8_',
      'lin_api_',
      'ntn_',
      'figd_',
      'phx_',
    ],
    form: /hv[sb]\.[\w-]{24,255}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,255}|gsk_[A-Za-z0-9]{48,64}|xai-[A-Za-z0-9]{70,90}|pplx-[A-Za-z0-9]{40,64}|r8_[A-Za-z0-9]{37}|lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,60}|figd_[\w-]{36,60}|phx_[A-Za-z0-9]{40,60}/y,
  },
  {
    kind: 'token',
    starts: [
      'PMAK-',
      'NRAK-',
      'sntrys_',
      'sntryu_',
      'dckr_pat_',
      'ATATT3',
      'dp.pt.',
      'pscale_',
      'AGE-SECRET-KEY-1',
      'pul-',
      'rubygems_',
      'EAAC',
    ],
    form: /PMAK-[a-f0-9]{24}-[a-f0-9]{34}|NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9+/=_]{40,255}|dckr_pat_[\w-]{27}|ATATT3[\w=-]{100,255}|dp\.pt\.[A-Za-z0-9]{40,44}|pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}|AGE-SECRET-KEY-1[0-9A-Z]{58}|pul-[a-f0-9]{40}|rubygems_[a-f0-9]{48}|EAAC[A-Za-z0-9]{80,255}/y,
  },
  {
    kind: 'token',
    starts: ['ops_eyJ', 'cfut_', 'cfat_', 'cfk_', 'tskey-', 'vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    form: /ops_eyJ[\w-]{100,2048}|cf(?:ut|at|k)_[A-Za-z0-9]{40}[a-f0-9]{8}|tskey-[a-z]{2,10}-[A-Za-z0-9-]{20,80}|vc[piark]_[A-Za-z0-9]{24,80}/y,
  },
  { kind: 'token', starts: [':AA'], form: /:(?<secret>AA[\w-]{33})(?![\w-])/dy, after: /[^0-9]/ },
];
